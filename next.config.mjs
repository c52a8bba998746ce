/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true }, // `npm run check` looks at the types, tests included
  compress: true, // pages and scripts; the front compresses the API itself and streams never come here
  pageExtensions: ["tsx"], // pages alone: the route.ts files belong to the front, and no server code is built twice
  redirects: async () => [
    { source: "/settings/organizations", destination: "/organizations", permanent: true },
    { source: "/customers/:path*", destination: "/organizations/:path*", permanent: true },
  ],
  // The same parsers once: in a browser "nuqs" has all of "nuqs/server" that is used there.
  turbopack: { resolveAlias: { "nuqs/server": { browser: "nuqs" } } },
  experimental: {
    optimizePackageImports: ["@mantine/core", "@mantine/hooks", "lucide-react"],
  },
};
