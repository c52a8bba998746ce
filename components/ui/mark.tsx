/** The Trailmark logo, a trail of linked stamps. Decorative, because the name is beside it. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <g stroke="currentColor" strokeWidth="2.25" opacity=".6">
        <path d="M7.25 20.5v-4a3 3 0 0 1 3-3h3.5" />
        <rect x="2.6" y="20.6" width="9.3" height="9.3" rx="2.6" />
      </g>
      <rect x="13.5" y="2" width="16.5" height="16.5" rx="4.5" fill="currentColor" />
      <path
        d="m18 10.4 2.7 2.7 5-5.6"
        stroke="var(--mark-tick, #fff)"
        strokeWidth="2.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
