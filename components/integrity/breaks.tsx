import { counted } from "@/components/format/amounts";
import type { Outputs } from "@/components/trpc";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { MAX_BREAKS } from "@/server/evidence/chain/verifier";

/** "1 place", "3 places": number of breaks. A full list counts as "at least". */
export function placesText(breaks: readonly unknown[]): string {
  const n = counted(breaks.length, "place");
  return breaks.length < MAX_BREAKS ? n : `at least ${n}, of which the first ${breaks.length} are listed`;
}

type Break = Outputs["integrity"]["verify"]["breaks"][number];

const BREAK_TEXT: Record<Break["kind"], [string, string]> = {
  altered: ["Altered", "the entry is not the one that was sealed"],
  missing: ["Missing", "an entry, or its hash, is gone"],
  inserted: ["Inserted", "an entry that was never sealed in this position"],
  relinked: ["Relinked", "the link to the previous entry does not match"],
  truncated: ["Cut off", "the chain does not end where it should"],
  unsealed: ["Not sealed", "an entry without a seal"],
  index: ["Search index", "the index did not say what the entries say"],
};

type Props = { breaks: Break[]; rowHref?: (id: string) => string };

/** A break of the bundle's file itself rather than of an entry. */
const isOfFile = ({ seq, id, kind }: Break) => kind === "altered" && seq === 0 && id === "";

const positionOf = ({ seq }: Break) => (seq > 0 ? `Entry ${seq.toLocaleString("en-GB")}` : "Whole chain");

/** Where a chain is broken: the row, the expected and the found value. */
export function Breaks({ breaks, rowHref }: Props) {
  const columns: Column<Break>[] = [
    {
      header: "Where",
      width: 170,
      cell: (b) => (
        <span>
          {b.id && rowHref ? (
            <a className="tm-link" href={rowHref(b.id)}>
              {positionOf(b)}
            </a>
          ) : (
            positionOf(b)
          )}
          {b.id && (
            <small>
              <code>{b.id.slice(0, 8)}</code>
            </small>
          )}
        </span>
      ),
    },
    {
      header: "What",
      width: 230,
      cell: (b) => (
        <span>
          <strong>{BREAK_TEXT[b.kind][0]}</strong>
          <small>{isOfFile(b) ? "the file is not the one that was sealed" : BREAK_TEXT[b.kind][1]}</small>
        </span>
      ),
    },
    { header: "Expected", cell: (b) => <code>{b.expected}</code> },
    { header: "Found", cell: (b) => <code>{b.actual || "nothing"}</code> },
  ];
  return (
    <RecordTable
      caption="Where the chain is broken"
      columns={columns}
      rows={breaks}
      rowKey={(b) => `${b.seq}-${b.kind}-${b.id}-${b.actual}`}
    />
  );
}
