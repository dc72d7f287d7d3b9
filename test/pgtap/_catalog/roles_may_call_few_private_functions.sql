-- Those that policies, defaults and functions with their caller's rights reach; each is harmless
-- when called by hand.
begin;
select plan(1);

select set_eq(
  $$
    select format('%s: %s', p.proname, string_agg(r.rolname, ' ' order by r.rolname))
    from pg_proc as p
    join pg_roles as r
      on r.rolname in ('t_reader', 't_tenant', 't_worker', 't_admin', 't_stranger')
    where p.pronamespace = 'pgagent'::regnamespace
      and p.proname like '\_%'
      and has_function_privilege(r.oid, p.oid, 'execute')
    group by p.proname
  $$,
  array[
    '_between: t_admin t_reader t_tenant t_worker',
    '_calls_at: t_admin t_reader t_tenant t_worker',
    '_calls_of: t_admin t_reader t_tenant t_worker',
    '_check_comparison: t_admin t_reader t_tenant t_worker',
    '_check_keep: t_admin t_reader t_tenant t_worker',
    '_check_name: t_admin t_reader t_tenant t_worker',
    '_check_page: t_admin t_reader t_tenant t_worker',
    '_check_trajectory: t_admin t_reader t_tenant t_worker',
    '_context: t_admin t_reader t_tenant t_worker',
    '_cuts: t_admin t_reader t_tenant t_worker',
    '_checkpoint: t_admin t_reader t_tenant t_worker',
    '_descendants_until: t_admin t_reader t_tenant t_worker',
    '_has_members: t_admin t_reader t_tenant t_worker',
    '_is_partner: t_admin t_reader t_tenant t_worker',
    '_leads_to: t_admin t_reader t_tenant t_worker',
    '_limit: t_admin t_reader t_tenant t_worker',
    '_now: t_admin t_reader t_worker',
    '_newest: t_admin t_reader t_tenant t_worker',
    '_nodes: t_admin t_reader t_tenant t_worker',
    '_raise: t_admin t_reader t_tenant t_worker',
    '_seq_at: t_admin t_reader t_tenant t_worker',
    '_service: t_admin t_reader t_worker',
    '_step_of: t_admin t_reader t_tenant t_worker',
    '_stored_value: t_admin t_reader t_tenant t_worker',
    '_tenant: t_admin t_reader t_tenant t_worker',
    '_timeline_place: t_admin t_reader t_tenant t_worker',
    '_told: t_admin t_reader t_tenant t_worker',
    '_told_branching: t_admin t_reader t_tenant t_worker',
    '_with_metadata: t_admin t_reader t_tenant t_worker',
    '_without_partner: t_admin t_reader t_tenant t_worker',
    '_without_value: t_admin t_reader t_tenant t_worker',
    '_writer: t_admin t_worker'
  ]
);

select * from finish();
rollback;
