CREATE TABLE "custom_field_definitions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid NOT NULL,
	"org_id" uuid,
	"name" text NOT NULL,
	"field_key" text NOT NULL,
	"type" text NOT NULL,
	"options" jsonb,
	"required" boolean DEFAULT false NOT NULL,
	"default_value" jsonb,
	"device_types" jsonb,
	"secret" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "custom_field_definitions_type_check" CHECK (type IN ('text', 'number', 'boolean', 'dropdown', 'date')),
	CONSTRAINT "custom_field_definitions_key_check" CHECK (field_key ~ '^[a-z][a-z0-9_]*$')
);
--> statement-breakpoint
CREATE TABLE "custom_field_import_changes" (
	"import_id" uuid NOT NULL,
	"row_no" integer NOT NULL,
	"org_id" uuid NOT NULL,
	"device_id" uuid NOT NULL,
	"previous" jsonb NOT NULL,
	"written" jsonb NOT NULL,
	"recorded_source_id" text,
	"undone" boolean DEFAULT false NOT NULL,
	CONSTRAINT "custom_field_import_changes_pkey" PRIMARY KEY("import_id","row_no")
);
--> statement-breakpoint
CREATE TABLE "custom_field_import_mappings" (
	"partner_id" uuid NOT NULL,
	"source" text NOT NULL,
	"fingerprint" text NOT NULL,
	"mapping" jsonb NOT NULL,
	"uses" bigint DEFAULT 1 NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "custom_field_import_mappings_pkey" PRIMARY KEY("partner_id","source","fingerprint")
);
--> statement-breakpoint
CREATE TABLE "custom_field_import_results" (
	"import_id" uuid NOT NULL,
	"row_no" integer NOT NULL,
	"partner_id" uuid NOT NULL,
	"outcome" text NOT NULL,
	"device_id" uuid,
	"source_id" text,
	"codes" text NOT NULL,
	"reason" text,
	"candidates" uuid[],
	"picked_device_id" uuid,
	"applied" boolean DEFAULT false NOT NULL,
	CONSTRAINT "custom_field_import_results_pkey" PRIMARY KEY("import_id","row_no")
);
--> statement-breakpoint
CREATE TABLE "custom_field_import_rows" (
	"import_id" uuid NOT NULL,
	"row_no" integer NOT NULL,
	"partner_id" uuid NOT NULL,
	"file_no" smallint NOT NULL,
	"line" integer NOT NULL,
	"cells" jsonb NOT NULL,
	"fault" text,
	CONSTRAINT "custom_field_import_rows_pkey" PRIMARY KEY("import_id","row_no")
);
--> statement-breakpoint
CREATE TABLE "custom_field_imports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid NOT NULL,
	"org_ids" uuid[] NOT NULL,
	"created_by" uuid NOT NULL,
	"created_by_name" text NOT NULL,
	"source" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"files" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"columns" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"plan" jsonb,
	"summary" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"fingerprint" text,
	"total_rows" integer DEFAULT 0 NOT NULL,
	"job" text,
	"job_done" integer DEFAULT 0 NOT NULL,
	"job_started_at" timestamp (3) with time zone,
	"lease_owner" text,
	"lease_until" timestamp (3) with time zone,
	"cancel_requested" boolean DEFAULT false NOT NULL,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "custom_field_imports_status_check" CHECK (status IN ('draft', 'staged', 'checked', 'running', 'done', 'cancelled', 'undone')),
	CONSTRAINT "custom_field_imports_job_check" CHECK (job IN ('stage', 'check', 'apply', 'undo'))
);
--> statement-breakpoint
CREATE TABLE "custom_field_values" (
	"device_id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"values" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "custom_field_values_object_check" CHECK (jsonb_typeof("values") = 'object')
);
--> statement-breakpoint
ALTER TABLE "custom_field_definitions" ADD CONSTRAINT "custom_field_definitions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_field_definitions" ADD CONSTRAINT "custom_field_definitions_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_field_import_mappings" ADD CONSTRAINT "custom_field_import_mappings_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_field_imports" ADD CONSTRAINT "custom_field_imports_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_field_values" ADD CONSTRAINT "custom_field_values_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "custom_field_definitions_org_key" ON "custom_field_definitions" USING btree ("org_id","field_key") WHERE org_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "custom_field_definitions_partner_key" ON "custom_field_definitions" USING btree ("partner_id","field_key") WHERE org_id IS NULL;--> statement-breakpoint
CREATE INDEX "custom_field_import_results_outcome_idx" ON "custom_field_import_results" USING btree ("import_id","outcome","row_no");--> statement-breakpoint
CREATE INDEX "custom_field_imports_partner_idx" ON "custom_field_imports" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "custom_field_imports_job_idx" ON "custom_field_imports" USING btree ("lease_until") WHERE job IS NOT NULL;--> statement-breakpoint
CREATE INDEX "custom_field_values_org_idx" ON "custom_field_values" USING btree ("org_id");