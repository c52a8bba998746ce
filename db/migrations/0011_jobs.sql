-- Processes that run background work, with their machine name and last sign of life: jobs of dead or silent ones are
-- freed. The jobs are in the job library's own schema (db/jobs.ts).
CREATE TABLE job_processes (
  id text CONSTRAINT job_processes_pkey PRIMARY KEY,
  process text NOT NULL,
  seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON job_processes TO trailmark_app;
