ALTER TABLE "custom_field_imports" ADD COLUMN "applied_through" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "custom_field_import_results" DROP COLUMN "applied";