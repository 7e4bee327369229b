// SPDX-License-Identifier: MIT
// Churn: a Java program with LIVE_MIB of live data that allocates all the time. Each new piece replaces a live piece, or is garbage at once.
//
// Churn LIVE_MIB ROUNDS [SECONDS]: a round makes 1000 pieces of 1 KB. The program ends after that many rounds, or seconds. It prints how many rounds it
// made, and in how many milliseconds.
public class Churn {
  static final int PIECE_BYTES = 1000;
  static final int PIECES_A_ROUND = 1000;
  static final int LIVE_ONE_IN = 4;
  static volatile byte[] garbage;

  public static void main(String[] words) {
    int pieces = Integer.parseInt(words[0]) * 1024;
    long rounds = Long.parseLong(words[1]);
    long start = System.nanoTime();
    long end = words.length > 2 ? start + Long.parseLong(words[2]) * 1_000_000_000L : Long.MAX_VALUE;
    byte[][] live = new byte[pieces][];
    for (int i = 0; i < pieces; i++) live[i] = new byte[PIECE_BYTES];
    long random = 88172645463325252L;
    long made = 0;
    while (made < rounds && System.nanoTime() < end) {
      for (int i = 0; i < PIECES_A_ROUND; i++) {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        byte[] piece = new byte[PIECE_BYTES];
        piece[0] = (byte) random;
        if (Long.remainderUnsigned(random, LIVE_ONE_IN) == 0) live[(int) ((random >>> 8) % pieces)] = piece;
        else garbage = piece;
      }
      made++;
    }
    System.out.println(made + " " + (System.nanoTime() - start) / 1_000_000);
  }
}
