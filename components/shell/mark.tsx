/** The Trailmark mark: a trail of linked stamps, the newest one set. Decorative beside the name. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path d="M9.5 21.5 13 18M19 14l3.5-3.5" stroke="currentColor" strokeWidth="2.25" strokeLinecap="round" />
      <rect
        x="2.25"
        y="20.25"
        width="9.5"
        height="9.5"
        rx="2.75"
        stroke="currentColor"
        strokeWidth="2.25"
        opacity=".45"
      />
      <rect
        x="11.25"
        y="11.25"
        width="9.5"
        height="9.5"
        rx="2.75"
        stroke="currentColor"
        strokeWidth="2.25"
        opacity=".75"
      />
      <rect x="19" y="1" width="12" height="12" rx="3.5" fill="currentColor" />
      <path
        d="m22.4 7.1 1.9 1.9 3.4-3.7"
        stroke="var(--mark-tick, #fff)"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
