begin;
\ir ../_lib.sql
select plan(3);

select pgagent.enqueue_job('b1', '1', queue => 'b');
select pgagent.enqueue_job('a1', '1', queue => 'a');
select is((select thread_id from pgagent.claim_job('w1', 'a')), 'a1');
select is(
  (select thread_id from pgagent.claim_job('w1', 'b')), 'b1', 'what is due earlier in another queue'
);
select pgagent.claim_job('w1', 'q' || n) from generate_series(1, 20) as n;
select is(
  array_length(regexp_split_to_array(current_setting('pgagent._claims'), '='), 1) - 1, 8, 'eight'
);

select * from finish();
rollback;
