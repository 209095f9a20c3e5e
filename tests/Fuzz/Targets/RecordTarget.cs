using System.Buffers;
using System.Net.Security;
using Ioxide.Tls;

namespace Ioxide.Fuzz;

/// <summary>
/// Records behind the handshake. The first byte chooses version, side and what follows: records as they come from the wire, none of which can be
/// opened, or plaintexts (type, length of two bytes, content) that a peer which knows the keys seals.
/// </summary>
internal sealed class RecordTarget() : FuzzTarget("records")
{
    private const int RandomBytes = 32;

    private static readonly byte[] s_secret = [.. Enumerable.Range(0, RecordKeys.MaxSecretBytes).Select(static i => (byte)i)];

    internal override IEnumerable<byte[]> Seeds()
    {
        for (byte kind = 0; kind < 8; kind++)
        {
            // Data, a KeyUpdate, a ticket, an alert; on the wire: heads with bodies.
            yield return [kind, .. kind < 4 ? Convert.FromHexString("17000568656c6c6f" + "1600051800000101" + "16000604000002aabb" + "1500020100") : Wire()];
        }

        // Attempts of a client to renegotiate TLS 1.2, many in a record.
        yield return [2, 22, 0, 64, .. Enumerable.Repeat<byte[]>([1, 0, 0, 0], 16).SelectMany(static hello => hello)];
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        if (input.IsEmpty)
        {
            return;
        }

        bool isTls13 = (input[0] & 1) != 0, isServer = (input[0] & 2) != 0, isWire = (input[0] & 4) != 0;
        RecordSuite suite = RecordSuite.Of(isTls13 ? TlsCipherSuite.TLS_AES_128_GCM_SHA256 : TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256);
        using RecordKeys sealing = Keys(suite), opening = Keys(suite);
        using var opener = new RecordOpener(opening, 0);
        if (isWire)
        {
            ReadWire(input[1..], opener);
        }
        else
        {
            using var sealer = new RecordSealer(sealing, 0);
            ReadSealed(input[1..], sealer, opener, isServer);
        }
    }

    private static RecordKeys Keys(RecordSuite suite)
    {
        if (suite.IsTls13)
        {
            return RecordKeys.FromSecret(suite, s_secret);
        }

        (RecordKeys client, RecordKeys server) = RecordKeys.FromMaster(suite, s_secret, s_secret.AsSpan(0, RandomBytes), s_secret.AsSpan(0, RandomBytes));
        server.Dispose();
        return client;
    }

    private static void ReadWire(ReadOnlySpan<byte> input, RecordOpener opener)
    {
        ReadOnlySequence<byte> whole = Pieces.Whole(input), cut = Pieces.Of(input);
        try
        {
            bool isWhole = RecordHeader.IsWhole(whole, opener.MaxExpansion, out RecordHeader header);
            Require(
                isWhole == RecordHeader.IsWhole(cut, opener.MaxExpansion, out RecordHeader same) && header == same, "A head is read otherwise in pieces.");
            if (isWhole)
            {
                byte[] room = new byte[Math.Max(0, opener.RoomFor(header.LengthBytes)) + 1];
                _ = opener.Open(header, whole.Slice(RecordHeader.SizeInBytes, header.LengthBytes), room);
                Require(false, "A record was opened that nobody sealed.");
            }
        }
        catch (TlsException)
        {
            // Refused.
        }
    }

    private static void ReadSealed(ReadOnlySpan<byte> input, RecordSealer sealer, RecordOpener opener, bool isServer)
    {
        var controls = new ControlRecords(new Target(sealer), isServer);
        byte[] sealed_ = new byte[RecordHeader.MaxPlaintext + 1024], opened = new byte[RecordHeader.MaxPlaintext + 1024];
        try
        {
            for (bool hasEnded = false; input.Length >= 3 && !hasEnded;)
            {
                int length = Math.Min(Math.Min((input[1] << 8) | input[2], input.Length - 3), RecordHeader.MaxPlaintext);
                var type = (RecordType)input[0];
                ReadOnlySpan<byte> content = input.Slice(3, length);
                input = input[(3 + length)..];
                int recordBytes = sealer.Seal(type, content, sealed_);
                var record = new ReadOnlySequence<byte>(sealed_, 0, recordBytes);
                Require(RecordHeader.IsWhole(Pieces.Of(record.ToArray()), opener.MaxExpansion, out RecordHeader header), "A sealed record is not whole.");
                (RecordType seen, int lengthBytes) = opener.Open(header, record.Slice(RecordHeader.SizeInBytes), opened);

                // In TLS 1.3 zeros behind the content are padding, and the type is what stands in front of them.
                bool isPadding = opener.Suite.IsTls13 && (byte)type == 0;
                Require(isPadding || (seen == type && content.SequenceEqual(opened.AsSpan(0, lengthBytes))), "A record was opened that nobody sealed.");
                if (seen == RecordType.ApplicationData)
                {
                    controls.NoteData(lengthBytes);
                }
                else
                {
                    hasEnded = controls.Handle(seen, opened.AsSpan(0, lengthBytes), opener);
                }
            }
        }
        catch (TlsException)
        {
            // Refused.
        }
    }

    private static byte[] Wire() => Convert.FromHexString("1703030020" + new string('c', 64));

    /// <summary>A peer's new keys are used at once on its side too.</summary>
    private sealed class Target(RecordSealer sealer) : IControlTarget
    {
        private const int MostRefusals = 10;

        private int _refusals;

        public void Fail(TlsException error, TlsAlert? alert) => throw error;

        public void NotePeerKeyUpdate(bool isAnswerRequested) => sealer.Update();

        public void RefuseRenegotiation() => Require(++_refusals < MostRefusals, "Each of many attempts to renegotiate is answered.");
    }
}
