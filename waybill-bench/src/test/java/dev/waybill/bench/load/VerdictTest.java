package dev.waybill.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
  private final Mailroom mailroom = new Mailroom(2, 100);
  private final Arrivals arrivals = new Arrivals(100);

  private void receive(Parcel... parcels) {
    List.of(parcels).forEach(parcel -> arrivals.receive(parcel.text()));
  }

  @Test
  void findsNothingWrongWithWhatArrivedInOrder() {
    List<Parcel> sent = mailroom.next(3, 17, 4);
    sent.forEach(this::receive);
    assertThat(Verdict.of(mailroom, arrivals)).isEqualTo(new Verdict(0, 0, 0, 0));
    assertThat(arrivals.due(0)).isEqualTo(17);
  }

  @Test
  void countsWhatIsMissingAndWhatCameTwice() {
    List<Parcel> sent = mailroom.next(0, 0, 4);
    receive(sent.get(0), sent.get(1), sent.get(1));
    assertThat(Verdict.of(mailroom, arrivals)).isEqualTo(new Verdict(2, 1, 0, 0));
  }

  @Test
  void countsOvertakingWithinAKeyOnly() {
    List<Parcel> sent = mailroom.next(0, 0, 4);
    assertThat(sent).extracting(Parcel::key).containsExactly(0, 1, 0, 1);
    receive(sent.get(1), sent.get(0), sent.get(3), sent.get(2));
    assertThat(Verdict.of(mailroom, arrivals).inversions()).isZero();
  }

  @Test
  void noticesThatALaterMessageOfAKeyCameFirst() {
    List<Parcel> sent = mailroom.next(0, 0, 4);
    receive(sent.get(2), sent.get(1), sent.get(0), sent.get(3));
    assertThat(Verdict.of(mailroom, arrivals)).isEqualTo(new Verdict(0, 0, 1, 0));
  }

  @Test
  void countsWhatALaterOneOfItsKeyPassedBy() {
    List<Parcel> sent = mailroom.next(0, 0, 6);
    receive(sent.get(1), sent.get(4));
    assertThat(Verdict.of(mailroom, arrivals)).isEqualTo(new Verdict(4, 0, 0, 2));
  }

  @Test
  void producersOfOneKeyAreNotComparedWithOneAnother() {
    Parcel one = mailroom.next(0, 0);
    mailroom.next(0, 0);
    Parcel second = mailroom.next(0, 0);
    mailroom.next(1, 0);
    Parcel other = mailroom.next(1, 0);
    assertThat(one.key()).isEqualTo(second.key()).isEqualTo(other.key());
    receive(other, one, second);
    assertThat(Verdict.of(mailroom, arrivals).inversions()).isZero();
  }

  @Test
  void textsHaveTheSizeThatWasAskedFor() {
    assertThat(new Mailroom(1, 256).next(0, 0).text()).hasSize(256);
    assertThat(new Mailroom(1, 65_536).next(0, -1).text()).hasSize(65_536);
  }
}
