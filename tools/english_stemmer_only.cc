// Replaces all stemmers of the Snowball archive but the English one, which is the only one that
// pmdex uses. The tables of the others contain so many pointers that relocating them caused a third
// of the page faults of every start. sb_stemmer_new returns null for a replaced stemmer.
#define PMDEX_NO_STEMMER(name)            \
  extern "C" {                            \
  void* name##_create_env();              \
  void* name##_create_env() {             \
    return nullptr;                       \
  }                                       \
  void name##_close_env(void* env);       \
  void name##_close_env(void* /*env*/) {} \
  int name##_stem(void* env);             \
  int name##_stem(void* /*env*/) {        \
    return -1;                            \
  }                                       \
  }

PMDEX_NO_STEMMER(arabic_UTF_8)
PMDEX_NO_STEMMER(armenian_UTF_8)
PMDEX_NO_STEMMER(basque_ISO_8859_1)
PMDEX_NO_STEMMER(basque_UTF_8)
PMDEX_NO_STEMMER(catalan_ISO_8859_1)
PMDEX_NO_STEMMER(catalan_UTF_8)
PMDEX_NO_STEMMER(danish_ISO_8859_1)
PMDEX_NO_STEMMER(danish_UTF_8)
PMDEX_NO_STEMMER(dutch_ISO_8859_1)
PMDEX_NO_STEMMER(dutch_UTF_8)
PMDEX_NO_STEMMER(english_ISO_8859_1)
PMDEX_NO_STEMMER(finnish_ISO_8859_1)
PMDEX_NO_STEMMER(finnish_UTF_8)
PMDEX_NO_STEMMER(french_ISO_8859_1)
PMDEX_NO_STEMMER(french_UTF_8)
PMDEX_NO_STEMMER(german_ISO_8859_1)
PMDEX_NO_STEMMER(german_UTF_8)
PMDEX_NO_STEMMER(greek_UTF_8)
PMDEX_NO_STEMMER(hindi_UTF_8)
PMDEX_NO_STEMMER(hungarian_ISO_8859_2)
PMDEX_NO_STEMMER(hungarian_UTF_8)
PMDEX_NO_STEMMER(indonesian_ISO_8859_1)
PMDEX_NO_STEMMER(indonesian_UTF_8)
PMDEX_NO_STEMMER(irish_ISO_8859_1)
PMDEX_NO_STEMMER(irish_UTF_8)
PMDEX_NO_STEMMER(italian_ISO_8859_1)
PMDEX_NO_STEMMER(italian_UTF_8)
PMDEX_NO_STEMMER(lithuanian_UTF_8)
PMDEX_NO_STEMMER(nepali_UTF_8)
PMDEX_NO_STEMMER(norwegian_ISO_8859_1)
PMDEX_NO_STEMMER(norwegian_UTF_8)
PMDEX_NO_STEMMER(porter_ISO_8859_1)
PMDEX_NO_STEMMER(porter_UTF_8)
PMDEX_NO_STEMMER(portuguese_ISO_8859_1)
PMDEX_NO_STEMMER(portuguese_UTF_8)
PMDEX_NO_STEMMER(romanian_ISO_8859_2)
PMDEX_NO_STEMMER(romanian_UTF_8)
PMDEX_NO_STEMMER(russian_KOI8_R)
PMDEX_NO_STEMMER(russian_UTF_8)
PMDEX_NO_STEMMER(serbian_UTF_8)
PMDEX_NO_STEMMER(spanish_ISO_8859_1)
PMDEX_NO_STEMMER(spanish_UTF_8)
PMDEX_NO_STEMMER(swedish_ISO_8859_1)
PMDEX_NO_STEMMER(swedish_UTF_8)
PMDEX_NO_STEMMER(tamil_UTF_8)
PMDEX_NO_STEMMER(turkish_UTF_8)
PMDEX_NO_STEMMER(yiddish_UTF_8)
