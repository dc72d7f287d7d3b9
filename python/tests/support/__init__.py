"""What the tests of agents share: processes that die, and a record that outlives them."""
