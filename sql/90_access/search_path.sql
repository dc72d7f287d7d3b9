-- The end of the script: the search path is the caller's again.
do $$
begin
  perform set_config('search_path', current_setting('pgagent._search_path'), true);
end
$$;
