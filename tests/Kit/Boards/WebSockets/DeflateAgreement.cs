using System.Globalization;

namespace Ioxide.TestKit;

/// <summary>What client and server have agreed on about permessage-deflate. Source: RFC 7692, section 7.1.</summary>
/// <param name="IsServerFresh">The server forgets each message.</param>
/// <param name="ServerWindowBits">The server copies from so far back: from 8 to 15.</param>
/// <param name="IsClientFresh">The client forgets each message.</param>
/// <param name="ClientWindowBits">The client copies from so far back.</param>
internal sealed record DeflateAgreement(bool IsServerFresh, int ServerWindowBits, bool IsClientFresh, int ClientWindowBits)
{
    private const string Name = "permessage-deflate";
    private const string ServerFresh = "server_no_context_takeover";
    private const string ServerBits = "server_max_window_bits";
    private const string ClientFresh = "client_no_context_takeover";
    private const string ClientBits = "client_max_window_bits";
    private const int DefaultBits = 15;

    /// <summary>Reads a server's answer.</summary>
    /// <param name="offers">What it was asked for, each an element of Sec-WebSocket-Extensions.</param>
    /// <param name="answer">Its own Sec-WebSocket-Extensions.</param>
    /// <exception cref="InvalidDataException">The answer agrees to none of the offers.</exception>
    internal static DeflateAgreement Read(IReadOnlyList<string> offers, string answer)
    {
        Dictionary<string, string?> parameters = Parse(answer);
        if (parameters.Keys.Except([ServerFresh, ServerBits, ClientFresh, ClientBits]).FirstOrDefault() is { } unknown)
        {
            throw new InvalidDataException($"an answer with {unknown}");
        }

        DeflateAgreement agreement = new(
            parameters.ContainsKey(ServerFresh), Bits(parameters, ServerBits), parameters.ContainsKey(ClientFresh), Bits(parameters, ClientBits));
        return offers.Any(offer => agreement.Answers(Parse(offer), parameters))
            ? agreement
            : throw new InvalidDataException($"an answer to no offer: {answer}");
    }

    /// <summary>Whether the offer could be answered so.</summary>
    private bool Answers(Dictionary<string, string?> offer, Dictionary<string, string?> answer)
        => (!offer.ContainsKey(ServerFresh) || IsServerFresh)
            && (!offer.ContainsKey(ServerBits) || (answer.ContainsKey(ServerBits) && ServerWindowBits <= Bits(offer, ServerBits)))
            && (offer.ContainsKey(ClientBits) || !answer.ContainsKey(ClientBits));

    private static int Bits(Dictionary<string, string?> parameters, string name)
    {
        if (!parameters.TryGetValue(name, out string? text))
        {
            return DefaultBits;
        }

        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int bits) && bits is >= 8 and <= DefaultBits
            ? bits
            : throw new InvalidDataException($"{name}={text}");
    }

    private static Dictionary<string, string?> Parse(string element)
    {
        string[] parts = element.Split(';', StringSplitOptions.TrimEntries);
        if (parts[0] != Name)
        {
            throw new InvalidDataException($"an extension that was not asked for: {parts[0]}");
        }

        Dictionary<string, string?> parameters = [];
        foreach (string part in parts.Skip(1))
        {
            string[] pair = part.Split('=', 2, StringSplitOptions.TrimEntries);
            if (!parameters.TryAdd(pair[0], pair.Length == 2 ? pair[1].Trim('"') : null))
            {
                throw new InvalidDataException($"{pair[0]} twice");
            }
        }

        return parameters;
    }
}
