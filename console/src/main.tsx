import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import { BankError } from '../../sdk/src/index.ts';
import { api } from './api/client.ts';
import { App } from './app.tsx';
import { navigate, startRouter } from './router.ts';
import { sessionClient } from './session/access-token.ts';
import { comeBack, isBackFromProvider, provider, refused } from './session/provider.ts';
import { person, signedIn } from './session/session.ts';
import { language, languageOf } from './words/language.ts';

async function resume(): Promise<void> {
  try {
    const { hasSession, provider: found } = await sessionClient.getSignIn();
    provider.value = found;
    const from = isBackFromProvider() ? await comeBack() : null;
    if (from !== null) navigate(from, { replace: true });
    if (from !== null || hasSession) signedIn(await api().getMe());
    else person.value = null;
  } catch (error) {
    // No session, or none that can be reached. The provider's answer was refused only where there was one.
    refused.value = error instanceof BankError && error.code === 'LOGIN_FAILED';
    person.value = null;
  }
}

language.value = languageOf(navigator.language) ?? 'en';
startRouter();
const root = document.getElementById('root');
if (root !== null) render(<App />, root);
void resume();
