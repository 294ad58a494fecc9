package dev.waybill.testkit;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** A server as Maven brings it: an archive, or plain files, in a jar. */
final class ServerJar {

  private final URL location;

  private ServerJar(URL location) {
    this.location = location;
  }

  static ServerJar onClassPath(String entry) {
    URL url = ServerJar.class.getClassLoader().getResource(entry);
    if (url == null) {
      throw new IllegalStateException("No jar with " + entry + " on the class path");
    }
    return new ServerJar(url);
  }

  static ServerJar at(Path jar, String entry) {
    try {
      return new ServerJar(URI.create("jar:" + jar.toUri() + "!/" + entry).toURL());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Changes with the server, so that a newer jar is unpacked beside the older one. */
  String fingerprint() {
    try (JarFile jar = open()) {
      return Long.toHexString(entry(jar).getCrc());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void unpackTo(Path folder) throws IOException {
    try (JarFile jar = open();
        InputStream archive = new BufferedInputStream(jar.getInputStream(entry(jar)), 1 << 16);
        TarArchiveInputStream tar = new TarArchiveInputStream(decompress(archive))) {
      TarArchiveEntry entry = tar.getNextEntry();
      while (entry != null) {
        Path target = inside(folder, entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
          } else {
            Files.copy(tar, target);
            boolean program = (entry.getMode() & 0100) != 0;
            Files.setPosixFilePermissions(
                target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
          }
        }
        entry = tar.getNextEntry();
      }
    }
  }

  /** Unpacks those plain files below a folder of the jar whose names begin in one of these ways. */
  void unpackFolderTo(Path folder, String prefix, String... wanted) throws IOException {
    try (JarFile jar = open()) {
      for (ZipEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (entry.isDirectory()
            || Stream.of(wanted).noneMatch(each -> name.startsWith(prefix + each))) {
          continue;
        }
        Path target = inside(folder, name.substring(prefix.length()));
        Files.createDirectories(target.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
          Files.copy(in, target);
        }
      }
    }
  }

  private InputStream decompress(InputStream archive) throws IOException {
    return location.getPath().endsWith("gz")
        ? new GZIPInputStream(archive)
        : new XZCompressorInputStream(archive);
  }

  private static Path inside(Path folder, String name) throws IOException {
    Path target = folder.resolve(name).normalize();
    if (!target.startsWith(folder)) {
      throw new IOException("Archive entry outside its folder: " + name);
    }
    return target;
  }

  private JarFile open() throws IOException {
    JarURLConnection connection = (JarURLConnection) location.openConnection();
    connection.setUseCaches(false);
    return connection.getJarFile();
  }

  private ZipEntry entry(JarFile jar) throws IOException {
    JarURLConnection connection = (JarURLConnection) location.openConnection();
    ZipEntry entry = jar.getEntry(connection.getEntryName());
    if (entry == null) {
      throw new IOException(jar.getName() + " has no " + connection.getEntryName());
    }
    return entry;
  }
}
