"use client";

import { Modal } from "@mantine/core";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import { SEALED_FIELDS } from "@/server/audit/row";
import type { BundleRow } from "@/server/evidence/chain/chain";
import classes from "./entries.module.css";

/** One entry, field by field, as it was hashed. */
export function EntryDialog({ row, onClose }: { row: BundleRow; onClose: () => void }) {
  const { zone } = useZone();
  useReturnedFocus();
  const at = new Date(row.timestampMs);
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Entry ${row.chainSeq}, ${dateTime(at, zone)} (${zoneName(zone, at)})`}
      size="lg"
    >
      <dl className={classes.fields}>
        {SEALED_FIELDS.map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{row[name] === null ? <span className={classes.absent}>none</span> : String(row[name])}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
