-- Rows of extension tables are left out of pg_dump unless each table is registered, in a call of
-- its own: one statement over the catalog fails. A plain install is dumped like anything else and
-- registers nothing.
do $$
declare
  v_table regclass;
begin
  if exists (select from pg_extension where extname = 'pgagent') then
    for v_table in
      select c.oid
      from pg_class as c
      where c.relnamespace = 'pgagent'::regnamespace and c.relkind in ('r', 'S')
      order by c.oid
    loop
      perform pg_extension_config_dump(v_table, '');
    end loop;
  end if;
end
$$;
