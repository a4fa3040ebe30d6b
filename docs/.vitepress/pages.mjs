// The pages of the site, in the order of its navigation. A page that is missing here, or here and not in docs, fails the
// build. The home page is the README.
export const groups = [
  {
    text: 'Start',
    pages: ['getting-started.md', 'tour.md', 'choosing-a-policy.md', 'comparison.md'],
  },
  {
    text: 'Migrate',
    collapsed: true,
    pages: ['migrating/spring-retry.md', 'migrating/spring-framework.md', 'migrating/resilience4j.md'],
  },
  {
    text: 'Retry',
    pages: [
      'annotation.md',
      'errors.md',
      'limits.md',
      'async.md',
      'ordering.md',
      'http-clients.md',
      'plain-java.md',
      'testing.md',
    ],
  },
  {
    text: 'Durable',
    pages: ['durable.md', 'dead-letters.md', 'lanes.md', 'order-by-key.md', 'databases.md'],
  },
  {
    text: 'Production',
    pages: ['production.md', 'observability.md', 'runbook.md', 'dashboard.md', 'troubleshooting.md'],
  },
  {
    text: 'Cookbook',
    pages: ['cookbook.md'],
  },
  {
    text: 'Reference',
    pages: ['configuration.md', 'endpoints.md', 'rules.md', 'extending.md', 'changelog.md'],
  },
  {
    text: 'Project',
    collapsed: true,
    pages: ['contributing.md', 'security.md'],
  },
  {
    text: 'Internals',
    collapsed: true,
    // "*": every other page of the folder.
    pages: ['internals/index.md', 'internals/architecture.md', 'internals/*', 'benchmarks/*'],
  },
]
