-- One role of each kind. t_tenant is a login of tenants: who it acts for, pgagent.user_id says.
create role t_reader login;
create role t_tenant login;
create role t_worker login;
create role t_admin login;
create role t_stranger login;
