import { Group, Skeleton } from "@mantine/core";

const WIDTHS = ["60%", "45%", "52%", "48%", "56%", "41%", "50%", "44%"];

/** Placeholder for the rows of a list. what: the noun for messages, "the users". */
export const LoadingRows = ({ what, height = 44 }: { what: string; height?: number }) => (
  <div role="status" aria-label={`Loading ${what}`}>
    {WIDTHS.map((width) => (
      <Group key={width} className="tm-ruled" h={height} px="edge">
        <Skeleton height={10} width={width} />
      </Group>
    ))}
  </div>
);
