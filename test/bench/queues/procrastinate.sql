select id from procrastinate_fetch_job_v2(null, null) \gset
select procrastinate_finish_job_v1(:id, 'succeeded', false);
