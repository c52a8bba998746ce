-- Trigger function of every statement that would change, delete or truncate rows, which never change.
CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
    USING ERRCODE = 'insufficient_privilege', HINT = coalesce(TG_ARGV[0], 'Rows leave by retention alone.');
END
$$;
