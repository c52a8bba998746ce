"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/**
 * A link that prefetches on hover and focus, for links in lists. Next prefetches every visible link, twice: for a list
 * that is more requests than its own page needs.
 */
export function PageLink(props: ComponentProps<typeof Link>) {
  const [isLikely, setIsLikely] = useState(false);
  const prefetch = () => setIsLikely(true);
  return (
    <Link
      {...props}
      prefetch={isLikely ? null : false}
      onMouseEnter={prefetch}
      onTouchStart={prefetch}
      onFocus={prefetch}
    />
  );
}
