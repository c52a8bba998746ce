-- Few values of a secret's column, each used often, were taken for choices. Plans and mappings of imports kept them,
-- also where the secret was left out: they forget the choices of every secret, and what was decided about its values.
SELECT set_config('trailmark.scope', 'system', true);
--> statement-breakpoint
CREATE FUNCTION pg_temp.without_secret_texts(p_plan jsonb, p_columns jsonb) RETURNS jsonb
LANGUAGE sql AS $$
  SELECT jsonb_set(p_plan, '{fields}', jsonb_agg(
    CASE
      WHEN field -> 'secret' IS DISTINCT FROM 'true'
        AND COALESCE(file_column ->> 'secret', '') NOT IN ('declared', 'masked') THEN field
      WHEN field ->> 'type' = 'dropdown' AND field ->> 'action' <> 'existing'
        THEN field || '{"type": "text", "options": null, "decisions": []}'
      ELSE field || '{"options": null, "decisions": []}'
    END ORDER BY place))
  FROM jsonb_array_elements(p_plan -> 'fields') WITH ORDINALITY listed(field, place)
  LEFT JOIN LATERAL (SELECT p_columns -> (field ->> 'column')::int) of_field(file_column) ON true
$$;
--> statement-breakpoint
UPDATE custom_field_imports SET plan = pg_temp.without_secret_texts(plan, columns)
WHERE jsonb_array_length(plan -> 'fields') > 0;
--> statement-breakpoint
UPDATE custom_field_import_mappings SET mapping = pg_temp.without_secret_texts(mapping, '[]')
WHERE jsonb_array_length(mapping -> 'fields') > 0;
--> statement-breakpoint
SELECT set_config('trailmark.scope', '', true);
