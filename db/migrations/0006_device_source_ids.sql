CREATE TABLE "device_source_ids" (
	"partner_id" uuid NOT NULL,
	"source" text NOT NULL,
	"source_id" text NOT NULL,
	"device_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "device_source_ids_pkey" PRIMARY KEY("partner_id","source","source_id")
);
--> statement-breakpoint
ALTER TABLE "device_source_ids" ADD CONSTRAINT "device_source_ids_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_source_ids" ADD CONSTRAINT "device_source_ids_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_source_ids" ADD CONSTRAINT "device_source_ids_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_source_ids_device_idx" ON "device_source_ids" USING btree ("device_id");