"use client";

import { Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import Link from "next/link";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import classes from "./enroll-device.module.css";

const POLL_MS = 3_000;

/** Waits for the first device that joins after a time, and shows its arrival. since: ISO 8601. */
export function FirstDevice({ orgId, since }: { orgId: string; since: string }) {
  const joined = useQuery(
    useTRPC().audit.list.queryOptions(
      { orgId: [orgId], actions: ["agent.enroll"], result: ["success"], from: since, limit: 1, skipCount: true },
      { trpc: UNBATCHED, refetchInterval: ({ state }) => (state.data?.data.length ? false : POLL_MS) },
    ),
  );
  const device = joined.data?.data[0]?.resource;
  return (
    <p className={classes.first} role="status">
      {device ? (
        <>
          <Check size={16} aria-hidden />
          <span>
            <Link href={`/devices/${device.id}`} className="tm-link">
              {device.name}
            </Link>{" "}
            has joined.
          </span>
        </>
      ) : (
        <>
          <Loader size={14} aria-hidden />
          <span>Waiting for the first device …</span>
        </>
      )}
    </p>
  );
}
