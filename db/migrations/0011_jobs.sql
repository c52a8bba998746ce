-- Processes that do background work, each with its name on its machine and when it was last heard of: the jobs of
-- one that is dead or silent are freed. The
-- jobs themselves are in the schema of the job library, which installs it (db/jobs.ts).
CREATE TABLE job_processes (
  id text CONSTRAINT job_processes_pkey PRIMARY KEY,
  process text NOT NULL,
  seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON job_processes TO trailmark_app;
