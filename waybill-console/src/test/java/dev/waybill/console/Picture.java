package dev.waybill.console;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.imageio.ImageIO;

/** A screenshot with its 256 most frequent colours: a third of the bytes, and nobody sees it. */
final class Picture {
  private static final int COLOURS = 256;

  private Picture() {}

  static void write(byte[] png, Path file) throws IOException {
    BufferedImage full = Objects.requireNonNull(ImageIO.read(new ByteArrayInputStream(png)));
    Map<Integer, Integer> counts = new HashMap<>();
    for (int y = 0; y < full.getHeight(); y++) {
      for (int x = 0; x < full.getWidth(); x++) {
        counts.merge(full.getRGB(x, y) & 0xffffff, 1, Integer::sum);
      }
    }
    List<Integer> palette =
        counts.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .limit(COLOURS)
            .map(Map.Entry::getKey)
            .toList();
    byte[] red = new byte[COLOURS];
    byte[] green = new byte[COLOURS];
    byte[] blue = new byte[COLOURS];
    for (int i = 0; i < palette.size(); i++) {
      red[i] = (byte) (palette.get(i) >> 16);
      green[i] = (byte) (palette.get(i) >> 8);
      blue[i] = (byte) (int) palette.get(i);
    }
    var small =
        new BufferedImage(
            full.getWidth(),
            full.getHeight(),
            BufferedImage.TYPE_BYTE_INDEXED,
            new IndexColorModel(8, COLOURS, red, green, blue));
    Map<Integer, Integer> nearest = new HashMap<>();
    for (int y = 0; y < full.getHeight(); y++) {
      for (int x = 0; x < full.getWidth(); x++) {
        int index =
            nearest.computeIfAbsent(full.getRGB(x, y) & 0xffffff, rgb -> nearest(palette, rgb));
        small.getRaster().setSample(x, y, 0, index);
      }
    }
    ImageIO.write(small, "png", file.toFile());
  }

  private static int nearest(List<Integer> palette, int rgb) {
    int best = 0;
    int least = Integer.MAX_VALUE;
    for (int i = 0; i < palette.size(); i++) {
      int distance = 0;
      for (int shift = 0; shift <= 16; shift += 8) {
        int difference = ((palette.get(i) >> shift) & 0xff) - ((rgb >> shift) & 0xff);
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
}
