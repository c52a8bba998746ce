-- When a row was sealed, by the clock of the node that seals it. A default would be filled in by whichever node was
-- asked, which names the column and so needs a right to it that the application role must not have.
CREATE OR REPLACE FUNCTION audit_stamp() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
  NEW.sealed_at := now();
  RETURN NEW;
END
$$;
