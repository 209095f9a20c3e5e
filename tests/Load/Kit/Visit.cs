using System.Diagnostics;

namespace Ioxide.LoadKit;

/// <summary>A client that comes, asks or not, and goes, in every way that a client can.</summary>
internal static class Visit
{
    private const int AbandonedBytes = 512 * 1024;
    private const int MostReadBytes = 64 * 1024;

    private static readonly int[] s_lengths = [0, 1, 100, 4095, 4096, 4097, 12_000, 30_000];

    /// <summary>Plays one on a new connection; every byte that comes has to be the key's.</summary>
    /// <param name="peer">The connection.</param>
    /// <param name="kind">The way.</param>
    /// <param name="key">Whose bytes are asked for.</param>
    /// <param name="random">Draws what the way leaves open.</param>
    /// <param name="answersAfterFin">Whether the server answers a request whose client has sent FIN. Kestrel aborts it.</param>
    /// <param name="path">Where bytes of a key are asked for.</param>
    /// <returns>False where the server cut its answer after FIN.</returns>
    internal static bool Play(Peer peer, VisitKind kind, long key, Random random, bool answersAfterFin = false, string path = "/pattern?")
    {
        switch (kind)
        {
            case VisitKind.Close:
                for (int requests = random.Next(1, 4); requests > 0; requests--)
                {
                    Ask();
                }

                break;
            case VisitKind.ServerCloses:
                Ask("Connection: close\r\n");
                peer.ExpectEnd();
                break;
            case VisitKind.CloseWithoutRequest:
                break;
            case VisitKind.ResetWithoutRequest:
                peer.Reset();
                break;
            case VisitKind.FinishWithoutRequest:
                peer.Finish();
                peer.ExpectEnd();
                break;
            case VisitKind.ResetInRequest:
                string request = Peer.PatternRequest(key, MostReadBytes, path: path);
                peer.Send(request[..random.Next(request.Length)]);
                peer.Reset();
                break;
            case VisitKind.ResetAfterRequest:
                SendAny();
                peer.Reset();
                break;
            case VisitKind.ResetAfterReply:
                Ask();
                peer.Reset();
                break;
            case VisitKind.HalfClose:
                return HalfClose(peer, key, SendAny(), answersAfterFin, waits: random.Next(2) == 0);
            case VisitKind.Abandon:
                peer.SendPattern(key, AbandonedBytes, path: path);
                peer.ReadPart(key, AbandonedBytes, enoughBytes: random.Next(1, MostReadBytes));
                if (random.Next(2) == 0)
                {
                    peer.Reset();
                }

                break;
            default:
                throw new UnreachableException();
        }

        return true;

        void Ask(string headers = "") => peer.ReadReply(key, SendAny(headers));

        int SendAny(string headers = "")
        {
            int lengthBytes = s_lengths[random.Next(s_lengths.Length)];
            if (random.Next(2) == 0)
            {
                peer.SendPattern(key, lengthBytes, headers, path);
            }
            else
            {
                peer.SendEcho(key, lengthBytes, headers);
            }

            return lengthBytes;
        }
    }

    private static bool HalfClose(Peer peer, long key, int lengthBytes, bool answersAfterFin, bool waits)
    {
        if (waits && !answersAfterFin)
        {
            peer.ReadReply(key, lengthBytes);
        }

        peer.Finish();
        if (answersAfterFin)
        {
            peer.ReadReply(key, lengthBytes);
        }
        else if (!waits && !peer.TryReadReply(key, lengthBytes))
        {
            return false;
        }

        peer.ExpectEnd();
        return true;
    }
}
