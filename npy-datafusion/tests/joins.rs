//! Joins of tables whose columns have the same names: a condition is about the column that the query names.

use std::path::Path;

use crate::support::error;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use npy_core::{NpyRecord, WriteNpy};
use npy_datafusion::{NpyOptions, register, session, session_with_config};

#[derive(NpyRecord, Clone, Copy)]
struct Order {
    id: i64,
    cust: i64,
}

#[derive(NpyRecord, Clone, Copy)]
struct Customer {
    id: i64,
    grp: i64,
}

#[derive(NpyRecord, Clone, Copy)]
struct Amount {
    amount: i64,
    id: i64,
}

/// Writes the tables, and registers them in a session of ours and in one of DataFusion.
async fn sessions(directory: &Path) -> [SessionContext; 2] {
    let orders = [(1, 10), (2, 20), (3, 30), (4, 40)].map(|(id, cust)| Order { id, cust });
    orders.write_npy(directory.join("orders.npy")).unwrap();
    let customers = [(10, 1), (20, 1), (50, 2), (60, 3), (70, 1), (80, 1)];
    let customers = customers.map(|(id, grp)| Customer { id, grp });
    customers.write_npy(directory.join("customers.npy")).unwrap();
    // Both tables have a column `amount`; the order of one is not that of the other.
    let amounts = |count: i64, step: i64| {
        (0..count).map(|id| Amount { amount: id * step % 1_000_003, id }).collect::<Vec<_>>()
    };
    amounts(40_000, 7919).write_npy(directory.join("many.npy")).unwrap();
    amounts(12_000, 611_953).write_npy(directory.join("few.npy")).unwrap();
    let sessions = [session(), SessionContext::new()];
    for ctx in &sessions {
        for name in ["orders", "customers", "many", "few"] {
            let path = directory.join(format!("{name}.npy"));
            register(ctx, name, path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
        }
    }
    sessions
}

async fn rows(ctx: &SessionContext, sql: &str) -> Vec<String> {
    let batches = ctx.sql(sql).await.unwrap().collect().await.unwrap();
    let table = pretty_format_batches(&batches).unwrap().to_string();
    let lines: Vec<_> = table.lines().filter(|line| line.starts_with('|')).skip(1).collect();
    lines.into_iter().map(|line| line.replace([' ', '|'], ";").replace(";;", "")).collect()
}

async fn count(ctx: &SessionContext, sql: &str) -> String {
    rows(ctx, sql).await.concat().replace(';', "")
}

/// Guards conditions on the side of an outer join that may be null.
#[tokio::test]
async fn a_condition_on_the_null_side_finds_the_rows_without_a_partner() {
    let directory = tempfile::tempdir().unwrap();
    for ctx in sessions(directory.path()).await {
        for (join, condition, expected) in [
            ("orders RIGHT JOIN customers", "orders.id IS NULL", "4"),
            ("orders RIGHT JOIN customers", "coalesce(orders.id, 3) = 3", "4"),
            ("orders RIGHT JOIN customers", "orders.id = 2", "1"),
            ("orders RIGHT JOIN customers", "customers.id > 60", "2"),
            ("orders RIGHT JOIN customers", "orders.id IS NULL AND customers.id > 60", "2"),
            ("customers LEFT JOIN orders", "orders.id IS NULL", "4"),
            ("orders LEFT JOIN customers", "customers.id IS NULL", "2"),
            ("orders FULL JOIN customers", "orders.id IS NULL", "4"),
            ("orders FULL JOIN customers", "(customers.id > 10) IS NOT TRUE", "3"),
            ("orders JOIN customers", "orders.id + customers.id > 11", "1"),
            // The planner finds that these are no rows after it has given the tables their conditions.
            ("orders RIGHT JOIN customers", "orders.id IS NULL AND orders.cust > 0", "0"),
            ("orders LEFT JOIN customers", "customers.id IS NULL AND customers.grp IN (1)", "0"),
            (
                "orders FULL JOIN customers",
                "orders.id < customers.id AND customers.grp IS NULL",
                "0",
            ),
        ] {
            let sql = format!(
                "SELECT count(*) FROM {join} ON orders.cust = customers.id WHERE {condition}"
            );
            assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
        }
    }
}

/// Guards conditions that the running query makes: the best rows so far, and the keys of a join.
#[tokio::test]
async fn conditions_of_the_running_query_are_about_their_own_columns() {
    let directory = tempfile::tempdir().unwrap();
    for ctx in sessions(directory.path()).await {
        for sql in [
            "SELECT many.amount AS a, few.amount AS b FROM many JOIN few ON few.id = many.id ORDER BY few.amount LIMIT 5",
            "SELECT many.amount AS a, many.id AS b, few.amount AS c, few.id AS d, x.id AS e FROM many JOIN few ON few.id = many.id JOIN (SELECT id FROM few) x ON x.id = many.id ORDER BY few.amount DESC LIMIT 5",
            "SELECT many.amount AS a, many.id AS b, few.amount AS c, few.id AS d, x.id AS e FROM many JOIN few ON few.id = many.id LEFT JOIN (SELECT id FROM few) x ON x.id = many.id ORDER BY few.amount LIMIT 5",
            "SELECT many.amount AS a, few.amount AS b FROM few JOIN many ON few.id = many.id ORDER BY many.amount DESC LIMIT 5",
            "SELECT many.amount AS a, few.amount AS b FROM many RIGHT JOIN few ON few.id = many.id ORDER BY few.amount LIMIT 5",
            "SELECT many.amount AS a, few.amount AS b FROM few RIGHT JOIN many ON few.id = many.id ORDER BY few.amount LIMIT 5",
            "SELECT many.amount AS a, few.amount AS b FROM many LEFT JOIN few ON few.id = many.id ORDER BY few.amount LIMIT 5",
            "SELECT many.amount AS a, few.amount AS b FROM few LEFT JOIN many ON few.id = many.id ORDER BY many.amount LIMIT 5",
            "SELECT o.id, count(*) FROM orders JOIN customers ON orders.cust = customers.id JOIN many o ON o.id = orders.id GROUP BY o.id ORDER BY 1",
            "SELECT count(*), sum(many.amount) FROM (orders RIGHT JOIN customers ON orders.cust = customers.id) JOIN many ON many.id = orders.id",
            "SELECT count(*), sum(m.amount) FROM (orders RIGHT JOIN customers ON orders.cust = customers.id) JOIN many m ON m.id = customers.id",
            "SELECT amount, id FROM (SELECT amount, id FROM many UNION ALL SELECT id, amount FROM few) ORDER BY amount, id LIMIT 5",
            "SELECT amount FROM (SELECT amount FROM many WHERE id < 10 LIMIT 10) ORDER BY amount DESC LIMIT 3",
        ] {
            let set =
                |on| format!("SET datafusion.optimizer.enable_dynamic_filter_pushdown = {on}");
            ctx.sql(&set(false)).await.unwrap();
            let expected = rows(&ctx, sql).await;
            ctx.sql(&set(true)).await.unwrap();
            assert_eq!(rows(&ctx, sql).await, expected, "{sql}");
        }
    }
}

/// Guards the speed of joins: the scan below one has its conditions, also if both tables have a column of the name.
#[tokio::test]
async fn scans_below_joins_have_their_own_conditions() {
    let directory = tempfile::tempdir().unwrap();
    for ctx in sessions(directory.path()).await {
        let sql = "SELECT few.amount FROM few JOIN many ON few.id = many.id WHERE few.amount < 1000 AND many.amount > 7";
        let plan = ctx.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        let plan = datafusion::physical_plan::displayable(&*plan).indent(false).to_string();
        assert!(plan.contains("predicate=amount@0 < 1000"), "{plan}");
        assert!(plan.contains("amount@0 > 7"), "{plan}");
        assert!(!plan.contains("FilterExec"), "{plan}");
    }
}

/// Guards the key of an outer join with USING, which DataFusion takes from the table whose name is first: that is an error, and the advice is right.
#[tokio::test]
async fn the_key_of_an_outer_join_is_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = &sessions(directory.path()).await[0];
    for (join, is_in) in [
        (
            "orders LEFT JOIN customers USING (id)",
            "write ON orders.id = customers.id for the keys, and coalesce(orders.id, customers.id) AS id in the place of id",
        ),
        ("orders RIGHT JOIN customers USING (id)", "write ON orders.id = customers.id"),
        ("orders FULL JOIN customers USING (id)", "write ON orders.id = customers.id"),
        ("orders NATURAL LEFT JOIN customers", "write ON orders.id = customers.id"),
        (
            "many LEFT JOIN few USING (amount, id)",
            "ON many.amount = few.amount AND many.id = few.id for the keys, and coalesce(many.amount, few.amount) AS amount",
        ),
        (
            "(SELECT 1.5 AS \"Id\") a LEFT JOIN (SELECT 1 AS \"Id\") b USING (\"Id\")",
            "ON a.\"Id\" = b.\"Id\"",
        ),
        (
            "few WHERE id IN (SELECT id FROM orders FULL JOIN customers USING (id))",
            "write ON orders.id",
        ),
    ] {
        let refused = error(ctx, &format!("SELECT * FROM {join}")).await;
        assert!(refused.contains(is_in), "{join}: {refused}");
    }
    let sql = "SELECT coalesce(orders.id, customers.id) AS id FROM orders LEFT JOIN customers ON orders.id = customers.id ORDER BY id";
    assert_eq!(rows(ctx, sql).await, ["1;", "2;", "3;", "4;"]);
    for (join, expected) in [
        ("customers JOIN orders USING (id)", "0"),
        ("orders LEFT SEMI JOIN few USING (id)", "4"),
        ("orders LEFT ANTI JOIN customers USING (id)", "4"),
        ("orders LEFT JOIN customers ON orders.cust = customers.id", "4"),
    ] {
        assert_eq!(
            count(ctx, &format!("SELECT count(id) FROM (SELECT orders.id FROM {join})")).await,
            expected,
            "{join}"
        );
    }
}

#[derive(NpyRecord, Clone, Copy)]
struct Point {
    id: i64,
    at: [f32; 2],
}

/// Guards the items of vectors in rows that a join adds as null: sorting by two of them was a panic.
#[tokio::test]
async fn rows_that_a_join_adds_have_no_vector() {
    let directory = tempfile::tempdir().unwrap();
    let ctx = &sessions(directory.path()).await[0];
    let path = directory.path().join("points.npy");
    [Point { id: 10, at: [1.0, 2.0] }, Point { id: 30, at: [0.5, 1.0] }].write_npy(&path).unwrap();
    register(ctx, "points", path.to_str().unwrap(), NpyOptions::default()).await.unwrap();
    let sql = "SELECT o.id FROM orders o LEFT JOIN points p ON o.cust = p.id \
        ORDER BY o.cust % 20, p.at[1] + p.at[2], o.id LIMIT 3";
    assert_eq!(rows(ctx, sql).await, ["2;", "4;", "3;"]);
}

/// Guards `min` and `max` of expressions: a condition about the other columns of the query leaves out none of their rows.
#[tokio::test]
async fn the_greatest_of_an_expression_is_that_of_all_rows() {
    let directory = tempfile::tempdir().unwrap();
    for (name, id) in [("a", 1), ("b", 5), ("c", 1), ("d", 5)] {
        let amounts = [Amount { amount: id * 20, id }];
        amounts.write_npy(directory.path().join(format!("{name}.npy"))).unwrap();
    }
    let location = format!("{}/", directory.path().display());
    for partitions in [1, 2, 4] {
        let ctx = session_with_config(SessionConfig::new().with_target_partitions(partitions));
        register(&ctx, "t", &location, NpyOptions::default()).await.unwrap();
        for (select, expected) in [
            ("min(id), max(amount + 1)", "1;101"),
            ("max(-amount), min(id)", "-20;1"),
            ("min(id), max(amount)", "1;100"),
            ("min(amount) FILTER (WHERE id > 3), min(amount)", "100;20"),
            ("min(amount), max(CASE WHEN id > 3 THEN id END)", "20;5"),
        ] {
            let sql = format!("SELECT {select} FROM t WHERE id < 9");
            let batches = ctx.sql(&sql).await.unwrap().collect().await.unwrap();
            let table = pretty_format_batches(&batches).unwrap().to_string();
            // After the border, the names and another border.
            let cells = table.lines().nth(3).unwrap().split('|').map(str::trim);
            let found = cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(";");
            assert_eq!(found, expected, "{partitions}: {select}");
        }
    }
}

/// Guards `IN` a subquery with nulls on either side, alone and as a part of a condition: the answers are those of PostgreSQL.
#[tokio::test]
async fn in_a_subquery_knows_nulls() {
    let ctx = session();
    rows(
        &ctx,
        "CREATE TABLE t AS SELECT * FROM (VALUES (1, 1), (2, 1), (NULL, 1), (NULL, 2)) t(a, g)",
    )
    .await;
    rows(&ctx, "CREATE TABLE q AS SELECT * FROM (VALUES (1, 1), (NULL, 3), (5, 4)) q(z, g)").await;
    let (some, nulls) = ("(SELECT z FROM q WHERE z < 9)", "(SELECT z FROM q)");
    let (none, own) = ("(SELECT z FROM q WHERE z > 9)", "(SELECT z FROM q WHERE q.g = t.g)");
    for (condition, expected) in [
        (format!("a NOT IN {some}"), "1"),
        (format!("a NOT IN {nulls}"), "0"),
        (format!("a NOT IN {none}"), "4"),
        (format!("a NOT IN {own}"), "2"),
        (format!("a IN {own}"), "1"),
        (format!("a > 5 OR a NOT IN {some}"), "1"),
        (format!("a > 5 OR a NOT IN {nulls}"), "0"),
        (format!("a > 5 OR a NOT IN {none}"), "4"),
        (format!("g = 2 OR a NOT IN {own}"), "2"),
        (format!("a = 2 OR a IN {nulls}"), "2"),
        (format!("NOT (a IN {some} AND g < 9)"), "1"),
        (format!("(a IN {nulls}) IS NULL"), "3"),
        (format!("(a NOT IN {some}) IS NOT TRUE"), "3"),
        (format!("CASE WHEN a NOT IN {nulls} THEN false ELSE true END"), "4"),
        (format!("g = 1 AND NOT (a NOT IN {some} OR a IS NULL)"), "1"),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
        let on = format!("SELECT count(*) FROM (SELECT 1) JOIN t ON t.g > 0 AND ({condition})");
        assert_eq!(count(&ctx, &on).await, expected, "{on}");
    }
    // A column without nulls, and an expression of it that has one.
    let counts = "(SELECT count(*) AS n FROM t GROUP BY g)";
    let sql = format!(
        "SELECT count(*) FROM {counts} WHERE nullif(n, 3) NOT IN (SELECT count(*) + 5 FROM q)"
    );
    assert_eq!(count(&ctx, &sql).await, "1", "{sql}");
}

/// Guards lists with columns: two of them in one condition are two conditions, and nulls are as in PostgreSQL.
#[tokio::test]
async fn lists_of_columns_are_kept_apart() {
    let ctx = session();
    let create = "CREATE TABLE t AS SELECT * FROM (VALUES (1, 1, 1, 'a'), (2, 8, 2, 'b'), (8, 1, 1, NULL), (7, 7, NULL, 'd')) t(x, y, z, s)";
    rows(&ctx, create).await;
    for (condition, expected) in [
        ("x IN (y, 8) AND x IN (z, 7)", "2"),
        ("x IN (y, 8) OR x IN (z, 7)", "4"),
        ("x NOT IN (y, 9) AND x NOT IN (z, 7)", "1"),
        ("x NOT IN (y, 9) OR x NOT IN (z, 7)", "2"),
        ("NOT (x IN (y, 8) AND x IN (z, 7))", "2"),
        ("1 IN (x) AND x = 1", "1"),
        ("x IN (y + 0, 8) AND x IN (1, 2, 8, y)", "3"),
        ("x IN (1, (SELECT max(y) FROM t)) AND x IN (7, (SELECT min(y) + 7 FROM t))", "1"),
        ("x NOT IN (z, 7, NULL)", "0"),
        ("s IN ('b', s) AND s IN (s, 'c')", "3"),
        ("(x, y) IN ((z, z), (2, 8)) AND (x, y) IN ((y, x))", "1"),
        ("x IN (y, 8) AND x IN (z, 7) AND x IN (1, 2)", "1"),
        ("EXISTS (SELECT 1 FROM t u WHERE u.x IN (t.y, 3) AND u.x IN (t.z, 4))", "2"),
    ] {
        let sql = format!("SELECT count(*) FROM t WHERE {condition}");
        assert_eq!(count(&ctx, &sql).await, expected, "{sql}");
    }
}
