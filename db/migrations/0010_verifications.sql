CREATE TABLE "audit_alarms" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"raised_at" timestamp (3) with time zone NOT NULL,
	"source" text NOT NULL,
	"breaks" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_verifications" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"org_id" uuid NOT NULL,
	"ran_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"rows_checked" bigint NOT NULL,
	"first_seq" bigint,
	"last_seq" bigint,
	"breaks" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"verified_through_seq" bigint,
	"rolling_through_seq" bigint,
	CONSTRAINT "audit_verifications_kind_check" CHECK (kind IN ('nightly', 'whole', 'range')),
	CONSTRAINT "audit_verifications_status_check" CHECK (status IN ('intact', 'broken', 'empty'))
);
--> statement-breakpoint
CREATE INDEX "audit_verifications_org_ran_idx" ON "audit_verifications" USING btree ("org_id","ran_at");