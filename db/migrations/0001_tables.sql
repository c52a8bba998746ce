CREATE TABLE "audit_chain_heads" (
	"org_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"checksum" varchar(128) NOT NULL,
	"pruned_through_seq" bigint DEFAULT 0 NOT NULL,
	"pruned_through_checksum" varchar(128),
	CONSTRAINT "audit_chain_heads_pkey" PRIMARY KEY("org_id","seq")
);
--> statement-breakpoint
CREATE TABLE "audit_logs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"org_id" uuid NOT NULL,
	"timestamp" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"actor_email" varchar(255),
	"action" varchar(100) NOT NULL,
	"resource_type" varchar(50) NOT NULL,
	"resource_id" uuid,
	"resource_name" varchar(255),
	"details" jsonb,
	"ip_address" varchar(45),
	"user_agent" text,
	"result" text NOT NULL,
	"error_message" text,
	"checksum" varchar(128),
	"prev_checksum" varchar(128),
	"chain_seq" bigint,
	"seal_tx" "xid8" DEFAULT pg_current_xact_id(),
	CONSTRAINT "audit_logs_actor_type_check" CHECK (actor_type IN ('user', 'api_key', 'agent', 'system', 'ai_agent')),
	CONSTRAINT "audit_logs_result_check" CHECK (result IN ('success', 'failure', 'denied')),
	CONSTRAINT "audit_logs_timestamp_check" CHECK ("timestamp" >= '1970-01-01T00:00:00Z' AND "timestamp" < '10000-01-01T00:00:00Z')
);
--> statement-breakpoint
CREATE TABLE "audit_retention_policies" (
	"org_id" uuid PRIMARY KEY NOT NULL,
	"retention_days" integer DEFAULT 365 NOT NULL,
	"archive_to_s3" boolean DEFAULT false NOT NULL,
	"last_cleanup_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "audit_retention_policies_days_check" CHECK (retention_days BETWEEN 1 AND 3650),
	CONSTRAINT "audit_retention_policies_archive_check" CHECK (NOT archive_to_s3)
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" text PRIMARY KEY NOT NULL,
	"device_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agents_token_hash_key" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"org_id" uuid NOT NULL,
	"hostname" text NOT NULL,
	"os" text NOT NULL,
	"os_version" text,
	"serial_number" text,
	"agent_version" text,
	"status" text,
	"metrics" jsonb,
	"last_ip" text,
	"last_seen_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid NOT NULL,
	"org_id" uuid,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" text NOT NULL,
	"permissions" text[] NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_hash_key" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "enrollment_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"org_id" uuid NOT NULL,
	"prefix" text NOT NULL,
	"key_hash" text NOT NULL,
	"max_uses" integer,
	"uses" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "enrollment_keys_hash_key" UNIQUE("key_hash")
);
--> statement-breakpoint
CREATE TABLE "refresh_tokens" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"family_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "refresh_tokens_hash_key" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "user_organizations" (
	"user_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	CONSTRAINT "user_organizations_pkey" PRIMARY KEY("user_id","org_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid,
	"org_id" uuid,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"department" text DEFAULT '' NOT NULL,
	"all_organizations" boolean DEFAULT true NOT NULL,
	"disabled_at" timestamp (3) with time zone,
	"last_login_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_logs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"device_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	"level" text NOT NULL,
	"component" varchar(100) NOT NULL,
	"message" text NOT NULL,
	"fields" jsonb,
	"agent_version" varchar(50),
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_logs_level_check" CHECK (level IN ('debug', 'info', 'warn', 'error'))
);
--> statement-breakpoint
CREATE TABLE "device_event_logs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"device_id" uuid NOT NULL,
	"org_id" uuid NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	"level" text NOT NULL,
	"category" text NOT NULL,
	"source" varchar(255) NOT NULL,
	"event_id" varchar(100),
	"message" text NOT NULL,
	"details" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "device_event_logs_level_check" CHECK (level IN ('info', 'warning', 'error', 'critical')),
	CONSTRAINT "device_event_logs_category_check" CHECK (category IN ('security', 'hardware', 'application', 'system'))
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"is_home" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "partners_slug_key" UNIQUE("slug")
);
--> statement-breakpoint
ALTER TABLE "audit_retention_policies" ADD CONSTRAINT "audit_retention_policies_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollment_keys" ADD CONSTRAINT "enrollment_keys_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refresh_tokens" ADD CONSTRAINT "refresh_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_organizations" ADD CONSTRAINT "user_organizations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_organizations" ADD CONSTRAINT "user_organizations_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_logs" ADD CONSTRAINT "agent_logs_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_logs" ADD CONSTRAINT "agent_logs_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_event_logs" ADD CONSTRAINT "device_event_logs_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_event_logs" ADD CONSTRAINT "device_event_logs_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "audit_logs_org_seq_key" ON "audit_logs" USING btree ("org_id","chain_seq") WHERE chain_seq IS NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_logs_org_ts_idx" ON "audit_logs" USING btree ("org_id","timestamp","chain_seq");--> statement-breakpoint
CREATE INDEX "audit_logs_unsealed_idx" ON "audit_logs" USING btree ("seal_tx") WHERE chain_seq IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_device_key" ON "agents" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "agents_org_idx" ON "agents" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "devices_org_hostname_idx" ON "devices" USING btree ("org_id","hostname");--> statement-breakpoint
CREATE INDEX "devices_hostname_lower_idx" ON "devices" USING btree (lower("hostname"));--> statement-breakpoint
CREATE INDEX "api_keys_partner_idx" ON "api_keys" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "api_keys_org_idx" ON "api_keys" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "enrollment_keys_org_idx" ON "enrollment_keys" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_family_idx" ON "refresh_tokens" USING btree ("family_id");--> statement-breakpoint
CREATE INDEX "refresh_tokens_user_idx" ON "refresh_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "users_org_idx" ON "users" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "users_partner_idx" ON "users" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "agent_logs_device_idx" ON "agent_logs" USING btree ("device_id","timestamp","id");--> statement-breakpoint
CREATE INDEX "agent_logs_org_ts_idx" ON "agent_logs" USING btree ("org_id","timestamp");--> statement-breakpoint
CREATE INDEX "agent_logs_level_component_idx" ON "agent_logs" USING btree ("level","component");--> statement-breakpoint
CREATE INDEX "agent_logs_timestamp_idx" ON "agent_logs" USING btree ("timestamp");--> statement-breakpoint
CREATE INDEX "device_event_logs_device_idx" ON "device_event_logs" USING btree ("device_id","timestamp","id");--> statement-breakpoint
CREATE INDEX "device_event_logs_org_ts_idx" ON "device_event_logs" USING btree ("org_id","timestamp");--> statement-breakpoint
CREATE INDEX "device_event_logs_cat_level_idx" ON "device_event_logs" USING btree ("category","level");--> statement-breakpoint
CREATE UNIQUE INDEX "device_event_logs_dedup_idx" ON "device_event_logs" USING btree ("device_id","source","event_id");--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_partner_slug_key" ON "organizations" USING btree ("partner_id","slug");--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_partner_home_key" ON "organizations" USING btree ("partner_id") WHERE is_home;--> statement-breakpoint
CREATE INDEX "organizations_partner_idx" ON "organizations" USING btree ("partner_id");