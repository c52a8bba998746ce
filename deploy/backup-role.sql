-- Role for pg_dump: with row-level security forced, a dump by a role without policies is silently empty. Run as the
-- owner, again after every upgrade; change the password.
DO $$
DECLARE s text; t text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trailmark_backup') THEN
    CREATE ROLE trailmark_backup LOGIN PASSWORD 'backup-secret';
  END IF;
  FOREACH s IN ARRAY ARRAY['public', 'drizzle', 'graphile_worker'] LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO trailmark_backup', s);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO trailmark_backup', s);
    EXECUTE format('GRANT SELECT ON ALL SEQUENCES IN SCHEMA %I TO trailmark_backup', s);
  END LOOP;
  FOR s, t IN SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE nspname IN ('public', 'graphile_worker') AND relrowsecurity LOOP
    EXECUTE format('DROP POLICY IF EXISTS %I ON %I.%I', t || '_backup', s, t);
    EXECUTE format('CREATE POLICY %I ON %I.%I FOR SELECT TO trailmark_backup USING (true)', t || '_backup', s, t);
  END LOOP;
END
$$;
