-- Values that a person has put right before an import is run, so that each change can be undone: one row for each
-- different value that a change replaced, with the rows that held it.
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
--> statement-breakpoint

-- As the rows of an import, its edits are reached through the import alone.
SELECT tenant_policy('custom_field_import_edits', 'partner');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON custom_field_import_edits TO trailmark_app;
