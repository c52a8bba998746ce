-- Custom fields: definitions, values, and imports with rows, results and changes.
CREATE TABLE custom_field_definitions (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT custom_field_definitions_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  name text NOT NULL,
  field_key text NOT NULL,
  type text NOT NULL,
  options jsonb,
  required boolean NOT NULL DEFAULT false,
  default_value jsonb,
  device_types jsonb,
  secret boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT custom_field_definitions_type_check CHECK (type IN ('text', 'number', 'boolean', 'dropdown', 'date')),
  CONSTRAINT custom_field_definitions_key_check CHECK (field_key ~ '^[a-z][a-z0-9_]*$'),
  CONSTRAINT custom_field_definitions_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT custom_field_definitions_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE UNIQUE INDEX custom_field_definitions_org_key ON custom_field_definitions (org_id, field_key)
  WHERE org_id IS NOT NULL;
CREATE UNIQUE INDEX custom_field_definitions_partner_key ON custom_field_definitions (partner_id, field_key)
  WHERE org_id IS NULL;

CREATE TABLE custom_field_values (
  device_id uuid CONSTRAINT custom_field_values_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  "values" jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT custom_field_values_object_check CHECK (jsonb_typeof("values") = 'object'),
  CONSTRAINT custom_field_values_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE
);
CREATE INDEX custom_field_values_org_idx ON custom_field_values (org_id);

CREATE TABLE custom_field_imports (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT custom_field_imports_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_ids uuid[] NOT NULL,
  created_by uuid NOT NULL,
  created_by_name text NOT NULL,
  source text NOT NULL,
  status text NOT NULL DEFAULT 'draft',
  files jsonb NOT NULL DEFAULT '[]'::jsonb,
  columns jsonb NOT NULL DEFAULT '[]'::jsonb,
  plan jsonb,
  summary jsonb NOT NULL DEFAULT '{}'::jsonb,
  fingerprint text,
  total_rows integer NOT NULL DEFAULT 0,
  job text,
  job_done integer NOT NULL DEFAULT 0,
  job_started_at timestamptz(3),
  attempt integer NOT NULL DEFAULT 0,
  cancel_requested boolean NOT NULL DEFAULT false,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  applied_through integer NOT NULL DEFAULT 0,
  CONSTRAINT custom_field_imports_status_check
    CHECK (status IN ('draft', 'staged', 'checked', 'running', 'done', 'cancelled', 'undone')),
  CONSTRAINT custom_field_imports_job_check CHECK (job IN ('stage', 'check', 'apply', 'undo')),
  CONSTRAINT custom_field_imports_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id)
);
CREATE INDEX custom_field_imports_partner_idx ON custom_field_imports (partner_id, created_at);

CREATE TABLE custom_field_import_rows (
  import_id uuid NOT NULL,
  row_no integer NOT NULL,
  partner_id uuid NOT NULL,
  file_no smallint NOT NULL,
  line integer NOT NULL,
  cells jsonb NOT NULL,
  fault text,
  CONSTRAINT custom_field_import_rows_pkey PRIMARY KEY (import_id, row_no)
);

CREATE TABLE custom_field_import_results (
  import_id uuid NOT NULL,
  row_no integer NOT NULL,
  partner_id uuid NOT NULL,
  outcome text NOT NULL,
  device_id uuid,
  source_id text,
  codes text NOT NULL,
  reason text,
  candidates uuid[],
  picked_device_id uuid,
  CONSTRAINT custom_field_import_results_pkey PRIMARY KEY (import_id, row_no)
);

CREATE TABLE custom_field_import_changes (
  import_id uuid NOT NULL,
  row_no integer NOT NULL,
  org_id uuid NOT NULL,
  device_id uuid NOT NULL,
  previous jsonb NOT NULL,
  written jsonb NOT NULL,
  recorded_source_id text,
  undone boolean NOT NULL DEFAULT false,
  CONSTRAINT custom_field_import_changes_pkey PRIMARY KEY (import_id, row_no)
);

-- A person's corrections before an import runs, so that each can be undone: one row per distinct replaced value, with
-- its rows.
CREATE TABLE custom_field_import_edits (
  import_id uuid NOT NULL,
  edit_no integer NOT NULL,
  part integer NOT NULL,
  partner_id uuid NOT NULL,
  column_no integer NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  row_nos integer[] NOT NULL,
  CONSTRAINT custom_field_import_edits_pkey PRIMARY KEY (import_id, edit_no, part)
);

CREATE TABLE custom_field_import_mappings (
  partner_id uuid NOT NULL,
  source text NOT NULL,
  fingerprint text NOT NULL,
  mapping jsonb NOT NULL,
  uses bigint NOT NULL DEFAULT 1,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT custom_field_import_mappings_pkey PRIMARY KEY (partner_id, source, fingerprint),
  CONSTRAINT custom_field_import_mappings_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id)
);

-- A definition belongs to one organization, or (org_id NULL) to a partner, whose people all see it. The application
-- decides who may change which.
SELECT tenant_policy('custom_field_definitions', 'organization or partner');
SELECT tenant_policy(t) FROM unnest(ARRAY['custom_field_values', 'custom_field_import_changes']) AS t;

-- Rows, results and edits are accessed through the import only; a bulk write cannot afford a look-up per row.
SELECT tenant_policy(t, 'partner')
FROM unnest(ARRAY[
  'custom_field_import_rows', 'custom_field_import_results', 'custom_field_import_edits',
  'custom_field_import_mappings']) AS t;

-- An import may name every organization in its creator's reach, so only people who reach all of them see it.
ALTER TABLE custom_field_imports ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY custom_field_imports_tenant ON custom_field_imports TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR (partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)
      AND org_ids <@ (SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])));

GRANT SELECT, INSERT, UPDATE, DELETE ON
  custom_field_definitions, custom_field_values, custom_field_imports, custom_field_import_rows,
  custom_field_import_results, custom_field_import_changes, custom_field_import_edits, custom_field_import_mappings
  TO trailmark_app;
