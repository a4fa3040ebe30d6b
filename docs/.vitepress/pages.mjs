// The pages of the site, in the order of its navigation. A page that is missing here, or here and not in docs, fails the
// build.
export const groups = [
  {
    text: 'Start',
    pages: ['getting-started.md', 'tour.md', 'cookbook.md', 'choosing-a-policy.md', 'comparison.md', 'faq.md'],
  },
  {
    text: 'Retry methods',
    pages: ['annotation.md', 'rules.md', 'recovery.md', 'async.md', 'ordering.md', 'aspectj.md', 'kotlin.md', 'plain-java.md', 'testing.md'],
  },
  {
    text: 'Limits',
    pages: ['errors.md', 'budgets.md', 'time-limits.md', 'shutdown.md'],
  },
  {
    text: 'HTTP',
    pages: ['http-clients.md'],
  },
  {
    text: 'Durable calls',
    pages: ['durable.md', 'scaling.md', 'changing-a-durable-method.md', 'dead-letters.md'],
  },
  {
    text: 'In production',
    pages: [
      'observability.md',
      'observability/README.md',
      'dashboard.md',
      'operating.md',
      'troubleshooting.md',
      'performance.md',
    ],
  },
  {
    text: 'Reference',
    pages: ['configuration.md', 'extending.md', 'versions.md'],
  },
  {
    text: 'Migrate',
    pages: ['migrating/spring-retry.md', 'migrating/spring-framework.md', 'migrating/resilience4j.md'],
  },
  {
    text: 'Internals',
    collapsed: true,
    // "*": every other page of the folder.
    pages: ['internals/index.md', 'architecture.md', 'internals/*', 'benchmarks/*'],
  },
]
