import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { withMermaid } from 'vitepress-plugin-mermaid'
import { groups } from './pages.mjs'

const docs = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const project = resolve(docs, '..')
const source = 'https://retryon.dev/source/retryon'

/** Pages that include a file of the project's folder, where a Git host expects it. */
const included = {
  'index.md': 'README.md',
  'changelog.md': 'CHANGELOG.md',
  'contributing.md': 'CONTRIBUTING.md',
  'security.md': 'SECURITY.md',
}

/** Pages of long tables, which have no outline beside them. */
const wide = ['configuration.md']

const faults = []
const linkedFiles = new Set()

function fault(message) {
  faults.push(message)
  console.error(`FAILED: ${message}`)
}

function files(folder, extension) {
  return readdirSync(join(docs, folder), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && extname(file.name) === extension)
    .map((file) => relative(docs, join(file.parentPath ?? file.path, file.name)).split(sep).join('/'))
    .filter((name) => !name.startsWith('node_modules/') && !name.startsWith('.'))
    .sort()
}

function title(page) {
  return readFileSync(included[page] ? join(project, included[page]) : join(docs, page), 'utf8').match(/^# (.+)$/m)[1].replaceAll('`', '')
}

function address(page) {
  return '/' + page.replace(/index\.md$/, '').replace(/\.md$/, '')
}

/** The navigation. Every page is in it once. */
function sidebar() {
  const pages = new Set(files('.', '.md'))
  pages.delete('index.md')
  const named = new Set(groups.flatMap((group) => group.pages))
  const shown = groups.map((group) => ({
    text: group.text,
    collapsed: group.collapsed,
    items: group.pages
      .flatMap((page) => (page.endsWith('/*') ? [...pages].filter((p) => p.startsWith(page.slice(0, -1)) && !named.has(p)) : [page]))
      .filter((page) => {
        if (!pages.delete(page)) {
          fault(`docs/.vitepress/pages.mjs names ${page}, which is not in docs`)
          return false
        }
        return true
      })
      .map((page) => ({ text: title(page), link: address(page) })),
  }))
  pages.forEach((page) => fault(`docs/.vitepress/pages.mjs does not name ${page}`))
  return shown
}

/** Rewrites a link of a file in the project's folder for the page in docs that includes it. */
function fromDocs(token) {
  const name = { link_open: 'href', image: 'src' }[token.type]
  const target = name && token.attrGet(name)
  if (target && !/^([a-z]+:|\/|#)/.test(target)) {
    token.attrSet(name, target.startsWith('docs/') ? target.slice('docs/'.length) : `../${target}`)
  }
}

/**
 * Links that are relative work on a Git host. On the site, a link to a page stays, and a link to a file that a page includes
 * goes to that page. Other files in docs are copied, and files outside docs are linked to their source. A file that does not
 * exist fails the build.
 */
function relativeLinks(md) {
  md.core.ruler.push('relative-links', (state) => {
    const page = state.env.realPath ?? state.env.path
    for (const block of state.tokens) {
      for (const token of block.children ?? []) {
        if (page && included[relative(docs, page)]) {
          fromDocs(token)
        }
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (!page || !href || /^([a-z]+:|\/|#)/.test(href)) {
          continue
        }
        const [path, hash] = href.split('#')
        const file = resolve(dirname(page), decodeURI(path))
        const inside = file.startsWith(docs + sep)
        const name = relative(docs, file).split(sep).join('/')
        const including = Object.keys(included).find((key) => join(project, included[key]) === file)
        if (including) {
          token.attrSet('href', `${relative(dirname(page), join(docs, including))}${hash ? '#' + hash : ''}`)
        } else if (!inside && !existsSync(resolve(project, 'docs', name))) {
          fault(`${relative(docs, page)} links to ${href}, which does not exist`)
        } else if (!inside) {
          const target = relative(project, resolve(project, 'docs', name)).split(sep).join('/')
          token.attrSet('href', `${source}/${target}${hash ? '#' + hash : ''}`)
        } else if (extname(file) !== '.md') {
          if (existsSync(file)) {
            linkedFiles.add(name)
            token.attrSet('target', '_blank')
          } else {
            fault(`${relative(docs, page)} links to ${href}, which does not exist`)
          }
        }
      }
    }
  })
}

/** Lets a long name in a table, such as that of a property, break after a dot. */
function breakableNames(md) {
  const code = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (...args) => code(...args).replace(/(?<=[\w-]\.)(?=[\w&])/g, '<wbr>')
}

/** The API documentation of each module that was built with -Prelease, and a page that lists the modules. */
function copyApi(outDir) {
  const modules = ['.', 'modules']
    .flatMap((folder) => readdirSync(join(project, folder)).map((name) => join(project, folder, name)))
    .filter((module) => existsSync(join(module, 'target/reports/apidocs/index.html')))
  modules.forEach((module) => cpSync(join(module, 'target/reports/apidocs'), join(outDir, 'api', basename(module)), { recursive: true }))
  const items = modules.map((module) => basename(module)).map((name) => `<li><a href="${name}/index.html">${name}</a></li>`)
  mkdirSync(join(outDir, 'api'), { recursive: true })
  writeFileSync(
    join(outDir, 'api/index.html'),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width"><title>RetryOn API</title>
<body style="font-family: system-ui, sans-serif; margin: 2rem"><h1>RetryOn API</h1><ul>${items.join('')}</ul></body></html>
`,
  )
}

export default withMermaid(
  defineConfig({
    title: 'RetryOn',
    description: 'Declarative retries for Spring Boot',
    lang: 'en',
    // No icon, and no request for one.
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    base: process.env.RETRYON_SITE_BASE ?? '/',
    outDir: '../target/site',
    cleanUrls: false,
    // Only the reader's own application, and the API documentation, which is copied after the pages.
    ignoreDeadLinks: [/^http:\/\/localhost\b/, /^\/api\//],
    markdown: { config: (md) => md.use(relativeLinks).use(breakableNames) },
    themeConfig: {
      nav: [
        { text: 'Guide', link: '/getting-started' },
        { text: 'Cookbook', link: '/cookbook' },
        { text: 'Configuration', link: '/configuration' },
        { text: 'API', link: '/api/index.html', target: '_blank' },
      ],
      sidebar: sidebar(),
      outline: [2, 3],
      socialLinks: [],
      docFooter: { prev: 'Previous', next: 'Next' },
      search: {
        provider: 'local',
        options: {
          // Symptoms first, and pages for contributors last.
          miniSearch: {
            searchOptions: {
              boostDocument: (page) =>
                /\/(changelog|contributing|architecture|internals\/)/.test(page) ? 0.3 : page.includes('/troubleshooting') ? 1.5 : 1,
            },
          },
          // Reports of measurements are no answer to a question.
          _render: (text, env, md) => (env.relativePath.startsWith('benchmarks/') ? '' : md.render(text, env)),
        },
      },
    },
    // A timeline is drawn for the width of the text, so its letters are as large as the letters of the page.
    mermaid: { securityLevel: 'strict', gantt: { useWidth: 624, fontSize: 13, sectionFontSize: 13, barHeight: 24, leftPadding: 90 } },
    transformPageData(page) {
      if (wide.includes(page.relativePath)) {
        page.frontmatter.pageClass = 'wide-page'
        page.frontmatter.aside = false
      }
    },
    vite: { build: { chunkSizeWarningLimit: 4000 } },
    buildEnd({ outDir }) {
      copyApi(outDir)
      for (const name of linkedFiles) {
        mkdirSync(dirname(join(outDir, name)), { recursive: true })
        copyFileSync(join(docs, name), join(outDir, name))
      }
      if (faults.length > 0) {
        throw new Error(`${new Set(faults).size} faults in the documentation:\n${[...new Set(faults)].join('\n')}`)
      }
    },
  }),
)
