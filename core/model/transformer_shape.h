#pragma once

namespace tandem {

/// What a transformer of the zoo is made for; the defaults are GPT-2 small.
struct TransformerShape {
  int layers = 12;         ///< blocks of attention and two linear layers
  int width = 768;         ///< features of a position between blocks; a multiple of heads
  int heads = 12;          ///< of each attention
  int vocabulary = 50257;  ///< tokens
  int sequence = 1024;     ///< positions
};

}  // namespace tandem
