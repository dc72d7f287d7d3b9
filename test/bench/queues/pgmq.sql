select msg_id from pgmq.read('q', 60, 1) \gset
select pgmq.archive('q', :msg_id::bigint);
