begin;
\ir ../_lib.sql
select plan(8);

select pgagent.limit_queue('q', 1);
create function pg_temp.after(ending text) returns boolean
language plpgsql volatile
as $$
declare
  v_thread text := 't-' || ending;
begin
  perform pgagent.enqueue_job(v_thread, '1', queue => 'q');
  perform pgagent_test.advance('1 s');
  if (select thread_id from pgagent.claim_job('w1', 'q', lease => '1 hour')) <> v_thread then
    return false;
  end if;
  case ending
    when 'complete' then perform pgagent.complete_job(pg_temp.job(v_thread), 1);
    when 'fail' then perform pgagent.fail_job(pg_temp.job(v_thread), 1, '1', true);
    when 'pause' then perform pgagent.pause_job(pg_temp.job(v_thread), 1, '{"q": 1}');
    when 'cancel' then perform pgagent.cancel_job(pg_temp.job(v_thread), force => true);
    when 'delete' then perform pgagent.delete_session(v_thread);
    when 'release' then
      perform pgagent.release_job(pg_temp.job(v_thread), 1);
      perform pgagent.cancel_job(pg_temp.job(v_thread));
    when 'lost' then
      perform pgagent_test.advance('2 hours');
      perform pgagent.reap_expired();
      perform pgagent.cancel_job(pg_temp.job(v_thread));
  end case;
  perform pgagent.enqueue_job('after-' || ending, '1', queue => 'q');
  if (select thread_id from pgagent.claim_job('w1', 'q')) is distinct from 'after-' || ending then
    return false;
  end if;
  perform pgagent.complete_job(pg_temp.job('after-' || ending), 1);
  return true;
end
$$;

select ok(pg_temp.after(e), e)
from unnest('{complete,fail,pause,cancel,delete,release,lost}'::text[]) as e;
select is((select count(*) from pgagent.queue_slots), 1::bigint, 'there is still one place');

select * from finish();
rollback;
