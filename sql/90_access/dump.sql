-- Rows of extension tables are left out of pg_dump unless each table is registered, in a call of
-- its own. A plain install is dumped like anything else and registers nothing.
do $$
begin
  if exists (select from pg_extension where extname = 'pgagent') then
    perform pg_extension_config_dump('pgagent.settings', '');
    perform pg_extension_config_dump('pgagent.access_grants', '');
    perform pg_extension_config_dump('pgagent.agent_sessions', '');
    perform pg_extension_config_dump('pgagent.session_data', '');
    perform pg_extension_config_dump('pgagent.session_messages', '');
    perform pg_extension_config_dump('pgagent.session_events', '');
    perform pg_extension_config_dump('pgagent.usage_records', '');
    perform pg_extension_config_dump('pgagent.agent_jobs', '');
    perform pg_extension_config_dump('pgagent.job_attempts', '');
    perform pg_extension_config_dump('pgagent.checkpoints', '');
    perform pg_extension_config_dump('pgagent.checkpoint_blobs', '');
    perform pg_extension_config_dump('pgagent.checkpoint_items', '');
    perform pg_extension_config_dump('pgagent.checkpoint_writes', '');
    perform pg_extension_config_dump('pgagent.tool_calls', '');
  end if;
end
$$;
