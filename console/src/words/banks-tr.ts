/** A credential of a bank: what it is called, what it is for, and what is said when it is refused. */
type Field = { readonly label: string; readonly hint: string; readonly fault: string };
type Bank = { readonly name: string; readonly fields: Readonly<Record<string, Field>> };

/**
 * What the built-in banks say of themselves, in Turkish; in English they say it. By bank code and name of the field,
 * which are stable. What another bank says is shown as it is.
 */
export const banksTr: Readonly<Record<string, Bank>> = {
  demo: {
    name: 'Demo Banka',
    fields: {
      seed: {
        label: 'Tohum',
        hint: 'Bu bankanın her şeyi ürettiği metin veya tam sayı. Aynı tohumlu iki bağlantı aynı hesapları ve hareketleri görür. Boşsa her bağlantının kendi verileri olur.',
        fault: 'En çok 100 karakterlik bir metin veya tam sayı olmalı.',
      },
      transactionsPerDay: {
        label: 'Günlük hareket',
        hint: 'Tüm hesaplarda bir gündeki hareket sayısı; varsayılan 12. Başka bir sayı başka bir geçmiş verir.',
        fault: '1 ile 20.000 arasında bir tam sayı olmalı.',
      },
      script: {
        label: 'Hata senaryosu',
        hint: 'Neyin nerede ters gideceği: { steps: [{ at: { operation: "accounts" veya "page", page?, request?, account?, attempts? }, do }] }. do şunlardan biridir: time-out, unavailable, rate-limit (retryAfterMs), reject-credentials, repeat-page, send-twice, reorder, withdraw (count), re-issue (count), blank-ids, change-accounts.',
        fault: 'Açıklandığı gibi bir senaryo olmalı.',
      },
    },
  },
  'statement-files': {
    name: 'Ekstre dosyaları (camt, MT940, MT942, OFX, BAI2, CSV)',
    fields: {
      folder: {
        label: 'Klasör',
        hint: 'Bankanın dosyaları bıraktığı, STATEMENTS_DIR altındaki klasör. Tek bir şirkete aittir: onu ilk yazana ya da birden çok kuruluşlu kurulumda açıldığı şirkete.',
        fault: 'Ekstre dizininin altındaki bir klasörün adı olmalı.',
      },
      charset: {
        label: 'Karakter kodlaması',
        hint: 'Kodlamasını belirtmeyen dosyalar için: utf-8, windows-1250, windows-1252, windows-1254, iso-8859-1, iso-8859-2, iso-8859-9, iso-8859-15, cp850, cp852, cp857 ve benzerleri. Boşsa her dosyada algılanır.',
        fault: 'Açıklamada sayılan kodlamalardan biri olmalı.',
      },
      csv: {
        label: 'CSV düzeni',
        hint: 'CSV dosyalarının nasıl okunacağı; yoksa atlanırlar. columns, dateFormat ve decimal içerir; varsayılandan farklıysa delimiter, header, sign ve charset de. docs/guides/statement-files.md dosyasına bakın.',
        fault: 'Açıklandığı gibi bir CSV düzeni olmalı.',
      },
      balances: {
        label: 'Bakiye denetimi',
        hint: 'strict (varsayılan): hareketleri açılış bakiyesinden kapanış bakiyesine varmayan ekstre reddedilir. note: bakiyeleri yanlış yazan bir banka için; ekstre alınır ve fark eşitlemeye not edilir.',
        fault: 'strict veya note olmalı.',
      },
    },
  },
};

/** Why a connector failed, what it could not read, and what it read although it breaks a rule, by code. */
export const bankReasonsTr: Readonly<Record<string, string>> = {
  ACCOUNT_OWNED_ELSEWHERE: 'Bu hesap kuruluşun başka bir şirketine ait; ondan hiçbir şey alınmadı.',
  PROVIDER_ACCOUNT_UNKNOWN: 'Bankada böyle bir hesap yok.',
  PROVIDER_CREDENTIALS_INVALID: 'Saklanan kimlik bilgileri bu bankaya uymuyor; yeniden girin.',
  PROVIDER_CREDENTIALS_REJECTED: 'Banka kimlik bilgilerini reddetti.',
  PROVIDER_CURSOR_INVALID: 'Banka, kalınan yerden devam edemedi.',
  PROVIDER_FAULT: 'Banka bağlantısı beklenmedik biçimde başarısız oldu.',
  PROVIDER_RATE_LIMITED: 'Banka bir süre beklenmesini istiyor.',
  PROVIDER_REQUEST_ABORTED: 'Bankaya gönderilen istek yarıda kesildi.',
  PROVIDER_TIMEOUT: 'Banka zamanında yanıt vermedi.',
  PROVIDER_UNAVAILABLE: 'Bankaya şu anda ulaşılamıyor.',
  PROVIDER_WINDOW_TOO_LONG: 'Banka bu kadar uzun bir dönem için yanıt vermiyor.',
  STATEMENTS_FOLDER_UNAVAILABLE: 'Ekstre klasörü şu anda okunamıyor.',
  STATEMENT_BALANCES_DIFFER: 'Bir ekstrenin hareketleri açılış bakiyesinden kapanış bakiyesine varmıyor.',
  STATEMENT_DAY_TOO_LARGE: 'Birkaç ekstre aynı günü farklı listeliyor ve karşılaştırılamayacak kadar çok hareket var.',
  STATEMENT_DETAILS_DIFFER: 'Ekstreler aynı hareketin ayrıntılarını farklı yazıyor.',
  STATEMENT_FILE_INVALID: 'Dosyanın bir kısmı okunamadı.',
  STATEMENT_FILE_TOO_LARGE: 'Dosya ya da dosyanın bir kısmı çok büyük.',
  STATEMENT_FILE_UNREADABLE: 'Dosya açılamadı.',
  STATEMENT_FORMAT_UNKNOWN: 'Dosyanın biçimi tanınmadı.',
  STATEMENT_READING_BUSY: 'Okunmayı bekleyen çok sayıda büyük dosya var.',
  STATEMENT_READING_FAILED: 'Dosya okunurken bir hata oldu; yeniden denenecek.',
  STATEMENT_READ_LENIENTLY: 'Bir kurala uymayan bir yer yine de okundu.',
  STATEMENT_ROWS_DIFFER: 'Ekstreler bir günü farklı hareketlerle aynı bakiyeye götürüyor.',
  STATEMENT_SPOOL_UNAVAILABLE: 'Büyük dosya yeniden okunmalı.',
  SYNC_FAULT: 'İş beklenmedik biçimde başarısız oldu; hizmetin günlüğüne bakın.',
  VAULT_BUSY: 'Kimlik bilgileri şu anda başka bir işlemde; yeniden denenecek.',
  VAULT_KEY_INVALID: 'Kimlik bilgilerinin anahtarı geçersiz.',
  VAULT_RECORD_UNREADABLE: 'Saklanan kimlik bilgileri okunamıyor; yeniden girin.',
};
