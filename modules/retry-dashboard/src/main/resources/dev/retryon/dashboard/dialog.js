// Describes the effects of a change, and asks for confirmation.

import {button, fill, h} from './elements.js';
import {message} from './text.js';

/**
 * Shows a dialog.
 *
 * @param consequences sentences that describe the effects; null for none in its place
 * @param fields inputs: {name, label, value, hint, options, judged}; an error without a field belongs to the one that is
 *     judged
 * @param action the text of the button
 * @param run makes the change with the values of the fields; an error is shown and the dialog stays open
 */
export function confirm({title, consequences, fields = [], action, danger = false, run}) {
  return new Promise(resolve => {
    const before = document.activeElement;
    const problem = h('p.problem', {id: 'confirm-problem', role: 'alert'});
    const inputs = new Map();
    const rows = fields.map(field => {
      const id = 'field-' + field.name;
      const input = field.options
        ? h('select', {id}, field.options.map(([value, text]) => h('option', {value, selected: value === field.value}, text)))
        : h('input', {id, type: 'text', value: field.value ?? '', autocomplete: 'off', spellcheck: 'false',
          'aria-describedby': field.hint ? id + '-hint' : null});
      inputs.set(field.name, input);
      return h('p.field', null, h('label', {for: id}, field.label), input,
        field.hint ? h('span.quiet', {id: id + '-hint'}, field.hint) : null);
    });
    const ok = h('button.' + (danger ? 'danger' : 'primary'), {type: 'submit'}, action);
    const dialog = h('dialog', {'aria-labelledby': 'confirm-title', 'aria-describedby': 'confirm-about'},
      h('form', {method: 'dialog', onsubmit: async event => {
        event.preventDefault();
        ok.disabled = true;
        fill(problem);
        blame(null);
        const values = new Map([...inputs].map(([name, input]) => [name, input.value.trim()]));
        try {
          const result = await run(values);
          end(result ?? true);
        } catch (error) {
          fill(problem, message(error.message));
          ok.disabled = false;
          blame(fields.find(field => error.message.startsWith(field.name + ' '))
            ?? fields.find(field => field.judged && [undefined, 400].includes(error.status)));
        }
      }},
      h('h2', {id: 'confirm-title'}, title),
      consequences.length > 0 ? h('ul.consequences', {id: 'confirm-about'},
        consequences.filter(Boolean).map(text => h('li', null, text))) : null,
      rows,
      problem,
      h('p.buttons', null, ok, button('Cancel', () => end(null)))));

    function blame(wrong) {
      for (const field of fields) {
        const input = inputs.get(field.name);
        input.toggleAttribute('aria-invalid', false);
        const about = [field.hint ? input.id + '-hint' : null];
        if (field === wrong) {
          input.setAttribute('aria-invalid', 'true');
          about.push(problem.id);
          input.focus();
        }
        const ids = about.filter(Boolean).join(' ');
        if (ids) {
          input.setAttribute('aria-describedby', ids);
        } else {
          input.removeAttribute('aria-describedby');
        }
      }
    }

    function end(result) {
      dialog.close();
      dialog.remove();
      (before?.isConnected ? before : document.getElementById('main')).focus({preventScroll: true});
      resolve(result);
    }
    dialog.addEventListener('cancel', event => {
      event.preventDefault();
      end(null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
