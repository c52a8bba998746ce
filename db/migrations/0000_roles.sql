-- Group roles named in grants and policies. db/roles.ts sets logins and passwords from the connection addresses; this
-- creates only what must exist before the first table.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trailmark_app') THEN
    CREATE ROLE trailmark_app NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trailmark_audit_admin') THEN
    CREATE ROLE trailmark_audit_admin NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trailmark_sealer') THEN
    CREATE ROLE trailmark_sealer NOLOGIN;
  END IF;
END
$$;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO trailmark_app, trailmark_audit_admin, trailmark_sealer;
--> functions
