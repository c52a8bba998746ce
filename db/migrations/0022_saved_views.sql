CREATE TABLE "user_preferences" (
	"user_id" uuid NOT NULL,
	"key" text NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_preferences_pkey" PRIMARY KEY("user_id","key"),
	CONSTRAINT "user_preferences_value_check" CHECK (length("value"::text) <= 8192)
);
--> statement-breakpoint
CREATE TABLE "audit_saved_views" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid,
	"org_id" uuid,
	"created_by" uuid NOT NULL,
	"created_by_name" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"shared" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_saved_views_name_check" CHECK (length(name) BETWEEN 1 AND 80),
	CONSTRAINT "audit_saved_views_query_check" CHECK (length(query) <= 4000),
	CONSTRAINT "audit_saved_views_owner_check" CHECK (NOT shared OR partner_id IS NOT NULL)
);
--> statement-breakpoint
ALTER TABLE "user_preferences" ADD CONSTRAINT "user_preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_saved_views" ADD CONSTRAINT "audit_saved_views_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_saved_views" ADD CONSTRAINT "audit_saved_views_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_saved_views" ADD CONSTRAINT "audit_saved_views_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_saved_views_mine_key" ON "audit_saved_views" USING btree ("created_by",lower("name")) WHERE NOT shared;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_saved_views_org_key" ON "audit_saved_views" USING btree ("org_id",lower("name")) WHERE shared AND org_id IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_saved_views_partner_key" ON "audit_saved_views" USING btree ("partner_id",lower("name")) WHERE shared AND org_id IS NULL;--> statement-breakpoint
CREATE INDEX "audit_saved_views_creator_idx" ON "audit_saved_views" USING btree ("created_by");