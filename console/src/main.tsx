import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import { api } from './api/client.ts';
import { App } from './app.tsx';
import { startRouter } from './router.ts';
import { sessionClient } from './session/access-token.ts';
import { person, signedIn } from './session/session.ts';
import { language, languageOf } from './words/language.ts';

async function resume(): Promise<void> {
  try {
    const { hasSession } = await sessionClient.getSignIn();
    if (hasSession) signedIn(await api().getMe());
    else person.value = null;
  } catch {
    // No session, or none that can be reached: the sign-in page says what is wrong when one tries.
    person.value = null;
  }
}

language.value = languageOf(navigator.language) ?? 'en';
startRouter();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
void resume();
