namespace Ioxide.Pg.Tests;

/// <summary>Adds steps to a script, and knows roughly where the script stands: whether a transaction is open, and by which means.</summary>
internal sealed class ScriptWriter(FaultDice dice, bool needsSession)
{
    private static readonly string[] s_savepoints = ["one", "two"];

    private readonly SqlWriter _sql = new(dice, needsSession);
    private readonly List<ScriptStatement> _written = [];
    private Opened _opened;

    private enum Opened
    {
        None,
        ByMethod,
        BySql,
    }

    internal List<ScriptStep> Steps { get; } = [];

    internal void Add()
    {
        switch (dice.Below(100))
        {
            case < 52:
                AddCommand();
                break;
            case < 62:
                AddSeveral(StepKind.Batch);
                break;
            case < 70:
                AddSeveral(StepKind.Text);
                break;
            case < 86:
                AddTransaction();
                break;
            case < 90:
                AddCopy();
                break;
            case < 91:
                AddCancel();
                break;
            case < 95:
                AddFlock();
                break;
            default:
                AddProbe();
                break;
        }
    }

    /// <summary>Two statements that show whether a transaction is open, and whether it failed: the numbers are equal, differ, or cannot be read.</summary>
    internal void AddProbe()
    {
        Steps.Add(new ScriptStep(StepKind.Command, [new ScriptStatement("select set_config('probe.xid', pg_current_xact_id()::text, true) is null")]));
        Steps.Add(new ScriptStep(
            StepKind.Command, [new ScriptStatement("select coalesce(pg_current_xact_id()::text = current_setting('probe.xid', true), false) as in_transaction")]));
    }

    private void AddCommand()
    {
        bool isShared = _opened == Opened.None && dice.Below(4) == 0;
        ScriptStatement statement = Statement(isShared);
        StepMode mode = dice.Below(12) switch
        {
            0 or 1 => StepMode.NonQuery,
            2 or 3 when !_sql.IsConstant(statement) => StepMode.Scalar,
            4 => StepMode.Streamed,
            5 => StepMode.Prepared,
            6 when statement.Template.StartsWith("select", StringComparison.Ordinal) => StepMode.Few,
            _ => StepMode.Reader,
        };
        Steps.Add(new ScriptStep(StepKind.Command, [statement], mode, isShared));
    }

    private void AddSeveral(StepKind kind)
        => Steps.Add(new ScriptStep(kind, [.. Enumerable.Range(0, 1 + dice.Below(5)).Select(_ => Statement(isShared: false))]));

    /// <summary>A statement, or one that was written before.</summary>
    private ScriptStatement Statement(bool isShared)
    {
        if (_written.Count > 0 && dice.Below(4) == 0)
        {
            return GeneratedValue.Pick(dice, _written);
        }

        ScriptStatement statement = isShared ? _sql.Stateless() : _sql.Any();
        if (_sql.IsStateless(statement))
        {
            _written.Add(statement);
        }

        return statement;
    }

    private void AddTransaction()
    {
        switch (_opened)
        {
            case Opened.None when dice.Below(2) == 0:
                _opened = Opened.ByMethod;
                Steps.Add(new ScriptStep(
                    StepKind.Begin, [], Name: GeneratedValue.Pick(dice, ["", "", "", "ReadCommitted", "RepeatableRead", "Serializable"])));
                break;
            case Opened.ByMethod:
                StepKind kind = GeneratedValue.Pick(
                    dice, [StepKind.Commit, StepKind.Commit, StepKind.Rollback, StepKind.Save, StepKind.Save, StepKind.RollbackTo, StepKind.Release]);
                bool isEnd = kind is StepKind.Commit or StepKind.Rollback;
                _opened = isEnd ? Opened.None : _opened;
                Steps.Add(new ScriptStep(kind, [], Name: isEnd ? "" : GeneratedValue.Pick(dice, s_savepoints)));
                break;
            default:
                string sql = _opened == Opened.None
                    ? GeneratedValue.Pick(dice, ["begin", "begin", "begin isolation level repeatable read", "start transaction read only", "commit", "rollback"])
                    : GeneratedValue.Pick(dice, ["commit", "commit", "rollback", "end", "begin", "savepoint one", "rollback to one", "release one", "commit and chain"]);
                _opened = sql is "commit" or "rollback" or "end" ? Opened.None : Opened.BySql;
                Steps.Add(new ScriptStep(StepKind.Command, [new ScriptStatement(sql)], dice.Below(2) == 0 ? StepMode.NonQuery : StepMode.Reader));
                break;
        }
    }

    private void AddCopy()
    {
        if (dice.Below(3) == 0)
        {
            string query = GeneratedValue.Pick(dice, ["copy t0 to stdout", "copy (select id, k from t1 order by 1) to stdout (format csv, header)", "copy (select 1/(n-n) from t0) to stdout"]);
            Steps.Add(new ScriptStep(StepKind.CopyOut, [new ScriptStatement(query)]));
            return;
        }

        int id = 100 + dice.Below(900);
        (string sql, string data) = GeneratedValue.Pick<(string, string)>(
            dice,
            [
                ("copy t0 (id, n, s) from stdin", $"{id}\t1\tx\n{id + 1}\t\\N\t\u00e4\n"),
                ("copy t0 (id, n, s) from stdin", $"{id}\t1\tx\n1\t2\ttwice\n"),
                ("copy t0 (id, n) from stdin (format csv)", $"{id},1\n{id + 1},\n"),
                ("copy t0 (id, n) from stdin", $"{id}\tnone\n"),
                ("copy t0 (id, n) from stdin", $"{id}\n"),
                ("copy t0 (id, nothing) from stdin", "1\t2\n"),
                ("copy t1 (k, amount) from stdin", $"k{id}\t5.25\nk{id + 1}\t0\n"),
                ("copy t1 (k, amount) from stdin", ""),
                ("copy t0 (id, n) from stdin", string.Concat(Enumerable.Range(1000, 4000).Select(static number => $"{number}\t{number * 7}\n"))),
            ]);
        Steps.Add(new ScriptStep(StepKind.CopyIn, [new ScriptStatement(sql)], dice.Below(4) == 0 ? StepMode.GivenUp : StepMode.Reader, Name: data));
    }

    private void AddCancel()
        => Steps.Add(new ScriptStep(
            StepKind.Cancel, [new ScriptStatement("select pg_sleep(60)"), .. Beside(1 + dice.Below(3))], IsShared: _opened == Opened.None && dice.Below(2) == 0));

    private void AddFlock() => Steps.Add(new ScriptStep(StepKind.Flock, Beside(2 + dice.Below(5)), IsShared: true));

    /// <summary>What takes no lock that the script's own session may hold.</summary>
    private ScriptStatement[] Beside(int count) => [.. Enumerable.Range(0, count).Select(_ => _sql.Constant())];
}
