-- Last: nobody but the owner may call or read anything until grant_access says so.
revoke all on schema pgagent from public;
revoke all on all tables in schema pgagent from public;
revoke all on all functions in schema pgagent from public;
