-- Core: choices of the site, and who was given access. A fresh install has no rows in either.

create table pgagent.settings (
  name text collate "C" not null,
  value text not null,
  created_at timestamptz not null default pgagent._now(),
  updated_at timestamptz not null default pgagent._now(),
  constraint settings_pkey primary key (name),
  constraint settings_value_is_short check (octet_length(value) <= 1024)
);

comment on table pgagent.settings is
'Choices of this site that differ from the defaults; pgagent.setting_defaults lists what there '
'is to choose.';
comment on column pgagent.settings.name is 'A name listed in pgagent.setting_defaults.';
comment on column pgagent.settings.value is 'The value, as text in the form of its type.';
comment on column pgagent.settings.created_at is 'When it was first set.';
comment on column pgagent.settings.updated_at is 'When it was last set.';

create table pgagent.access_grants (
  grantee text collate "C" not null,
  kind text collate "C" not null,
  granted_by text collate "C" not null,
  created_at timestamptz not null default pgagent._now(),
  constraint access_grants_pkey primary key (grantee, kind),
  constraint access_grants_kind_is_known check (kind in ('reader', 'tenant', 'worker', 'admin'))
);

comment on table pgagent.access_grants is
'What grant_access gave to whom, so that an upgrade can give it again on new objects.';
comment on column pgagent.access_grants.grantee is 'Name of the role.';
comment on column pgagent.access_grants.kind is
'reader, tenant, worker or admin: see grant_access.';
comment on column pgagent.access_grants.granted_by is 'Who called grant_access.';
comment on column pgagent.access_grants.created_at is 'When it was first granted.';
