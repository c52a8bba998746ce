CREATE TABLE "agent_streams" (
	"agent_id" text PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"device_id" uuid NOT NULL,
	"process_id" uuid NOT NULL,
	"stream_id" uuid NOT NULL,
	"connected_at" timestamp (3) with time zone NOT NULL,
	"beat_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "live_commands" (
	"id" uuid PRIMARY KEY NOT NULL,
	"org_id" uuid NOT NULL,
	"device_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"stream_id" uuid NOT NULL,
	"process_id" uuid NOT NULL,
	"asker_id" uuid NOT NULL,
	"name" text NOT NULL,
	"params" text NOT NULL,
	"deadline" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"result" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "live_commands_state_check" CHECK (state IN ('waiting', 'delivered', 'answered', 'broken'))
);
--> statement-breakpoint
ALTER TABLE "agent_streams" ADD CONSTRAINT "agent_streams_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_streams" ADD CONSTRAINT "agent_streams_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_streams" ADD CONSTRAINT "agent_streams_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "live_commands" ADD CONSTRAINT "live_commands_org_id_organizations_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "live_commands" ADD CONSTRAINT "live_commands_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_streams_device_idx" ON "agent_streams" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "agent_streams_org_idx" ON "agent_streams" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "agent_streams_process_idx" ON "agent_streams" USING btree ("process_id") WHERE closed_at IS NULL;--> statement-breakpoint
CREATE INDEX "live_commands_agent_idx" ON "live_commands" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "live_commands_org_idx" ON "live_commands" USING btree ("org_id");--> statement-breakpoint
CREATE INDEX "live_commands_device_idx" ON "live_commands" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "live_commands_stream_idx" ON "live_commands" USING btree ("stream_id");--> statement-breakpoint
CREATE INDEX "live_commands_waiting_idx" ON "live_commands" USING btree ("process_id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "live_commands_done_idx" ON "live_commands" USING btree ("asker_id") WHERE state IN ('answered', 'broken');