-- An organization's own time zone, and scheduled reports that follow it: both are added, so a version from before goes on
-- by the zone that each schedule holds.
ALTER TABLE organizations ADD COLUMN time_zone text;
--> statement-breakpoint
ALTER TABLE report_schedules ADD COLUMN follows_organization boolean NOT NULL DEFAULT false;
