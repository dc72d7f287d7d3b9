begin;
\ir ../_lib.sql
select plan(37);

select is(
  pgagent._schema_fault(c.schema::jsonb, c.value::jsonb) is null, c.fits, c.schema || ' ' || c.value
)
from (
  values
  ('{}', '1', true),
  ('true', '1', true),
  ('false', '1', false),
  ('{"type": "string"}', '1', false),
  ('{"type": ["string", "null"]}', 'null', true),
  ('{"type": "integer"}', '1.0', true),
  ('{"type": "integer"}', '1.5', false),
  ('{"type": "integer"}', '1e400', true),
  ('{"type": "number"}', '1.5', true),
  ('{"type": "boolean"}', '"true"', false),
  ('{"enum": ["a", 1]}', '1', true),
  ('{"enum": ["a", 1]}', '"b"', false),
  ('{"const": {"a": 1}}', '{"a": 1}', true),
  ('{"const": 1}', '2', false),
  ('{"minimum": 1, "maximum": 3}', '3', true),
  ('{"minimum": 1}', '0', false),
  ('{"exclusiveMaximum": 3}', '3', false),
  ('{"exclusiveMinimum": 3}', '3.1', true),
  ('{"minLength": 2, "maxLength": 3}', '"é1"', true),
  ('{"maxLength": 1}', '"ab"', false),
  ('{"minItems": 1}', '[]', false),
  ('{"minimum": 1}', '"text is not counted"', true),
  ('{"items": {"type": "string"}}', '["a", 1]', false),
  ('{"items": {"type": "string"}}', '["a"]', true),
  ('{"required": ["a"]}', '{}', false),
  ('{"properties": {"a": {"type": "string"}}}', '{"a": 1}', false),
  ('{"properties": {"a": {}}, "additionalProperties": false}', '{"b": 1}', false),
  ('{"additionalProperties": {"type": "string"}}', '{"b": 1}', false),
  ('{"anyOf": [{"type": "string"}, {"type": "null"}]}', 'null', true),
  ('{"anyOf": [{"type": "string"}, {"type": "null"}]}', '1', false),
  ('{"oneOf": [{"type": "string"}, {"type": "null"}]}', '"x"', true),
  ('{"allOf": [{"minimum": 1}, {"maximum": 3}]}', '4', false),
  ('{"allOf": [{"minimum": 1}, {"maximum": 3}]}', '2', true),
  ('{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}', '{"a": 1}',
    false),
  ('{"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"type": "string"}}}',
    '{"a": "x"}', true),
  ('{"$ref": "#"}', '1', true),
  ('{"type": 7, "enum": 1, "required": 1, "properties": 1, "anyOf": 1, "minimum": "x"}', '{"a": 1}',
    true)
) as c (schema, value, fits);

select * from finish();
rollback;
